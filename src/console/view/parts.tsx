import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import type { Faults } from '../http/exchange';
import { newId } from '../../platform/random';

/** Hidden in each form, so that one that is sent twice does one thing. */
export const FORM_ID = 'form';

interface PlainForm {
  action: string;
  /** What the button says. */
  button: string;
  inline?: boolean;
  children?: ComponentChildren;
  danger?: false;
  /** What will happen. */
  consequence?: ComponentChildren;
}

/** For an act that hurts: it says what will happen, and the script asks once more. */
interface DangerousForm extends Omit<PlainForm, 'danger'> {
  danger: true;
  consequence: ComponentChildren;
}

export function Form(props: PlainForm | DangerousForm): VNode {
  const { action, button, danger = false, inline = false, consequence, children } = props;
  const id = newId();
  const Line = inline ? 'small' : 'p';
  const told = consequence !== undefined && (
    <Line class="consequence" id={`of-${id}`}>
      {consequence}
    </Line>
  );
  return (
    <form method="post" action={action} class={inline ? 'inline' : undefined}>
      <input type="hidden" name={FORM_ID} value={id} />
      {!inline && told}
      {children}
      <button type="submit" class={danger ? 'danger' : undefined} aria-describedby={told ? `of-${id}` : undefined}>
        {button}
      </button>
      {inline && told}
    </form>
  );
}

/** Those of the page. */
export const FieldFaults = createContext<Faults>({});

interface FieldProps {
  label: string;
  name: string;
  /** Where the name stands more than once on a page; by it a fault finds the field. */
  id?: string;
  value?: string | undefined;
  /** What may be typed. */
  hint?: string;
  required?: boolean;
  maxLength?: number;
}

/** The fault and the hint describe the field; its name is the label alone. */
export function Field({ label, name, id = name, value, hint, required = false, maxLength }: FieldProps): VNode {
  const fault = useContext(FieldFaults)[id];
  const notes = [...(fault === undefined ? [] : [`${id}-fault`]), ...(hint === undefined ? [] : [`${id}-hint`])];
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        <input
          type="text"
          id={id}
          name={name}
          value={value}
          required={required}
          maxLength={maxLength}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={fault === undefined ? undefined : 'true'}
          aria-describedby={notes.join(' ') || undefined}
        />
      </label>
      {fault !== undefined && (
        <small id={`${id}-fault`} class="fault">
          {fault}
        </small>
      )}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  options: readonly string[];
  value?: string | undefined;
}

export const Choice = ({ label, name, options, value }: ChoiceProps): VNode => (
  <label>
    <span>{label}</span>
    <select name={name}>
      {options.map((option) => (
        <option value={option} selected={option === value}>
          {option}
        </option>
      ))}
    </select>
  </label>
);

export const Check = ({ label, name, checked = false }: { label: string; name: string; checked?: boolean }): VNode => (
  <label class="check">
    <input type="checkbox" name={name} value="yes" checked={checked} /> <span>{label}</span>
  </label>
);

export const Notice = ({ kind, children }: { kind: 'done' | 'error' | 'info'; children: ComponentChildren }): VNode => (
  <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {children}
  </p>
);

/** Why a form was refused, with the way to each wrong field. */
export function Refusal({ reason }: { reason: string | undefined }): VNode | null {
  const faults = Object.entries(useContext(FieldFaults));
  if (reason === undefined) return null;
  if (faults.length === 0) return <Notice kind="error">{reason}</Notice>;
  return (
    <div class="notice error" role="alert">
      Not accepted:
      <ul>
        {faults.map(([id, fault]) => (
          <li>
            <a href={`#${id}`}>{fault}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export const Time = ({ at }: { at: Date | string | null }): VNode => {
  if (at === null) return <span class="none">–</span>;
  const iso = typeof at === 'string' ? at : at.toISOString();
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}</time>;
};

export const Text = ({ value }: { value: string | number | null | undefined }): VNode =>
  value === null || value === undefined || value === '' ? <span class="none">–</span> : <>{value}</>;

export const State = ({ good, children }: { good: boolean; children: ComponentChildren }): VNode => (
  <span class={good ? 'state good' : 'state bad'}>{children}</span>
);

/** A block of text that is meant to be copied. */
export const Copied = ({ what, children }: { what: string; children: string }): VNode => (
  <pre>
    <code data-copy={what}>{children}</code>
  </pre>
);

interface TableProps {
  caption: string;
  /** One that is empty is that of buttons. */
  heads: string[];
  rows: ComponentChildren[][];
  /** What it says when there are no rows, and what to do next. */
  empty: ComponentChildren;
}

/** On a narrow screen only the table scrolls, also by keyboard. */
export const Table = ({ caption, heads, rows, empty }: TableProps): VNode =>
  rows.length === 0 ? (
    <p class="empty">{empty}</p>
  ) : (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th scope="col">{head === '' ? 'Actions' : head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

/** Names and values. */
export const Facts = ({ facts }: { facts: [name: string, value: ComponentChildren][] }): VNode => (
  <dl>
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
