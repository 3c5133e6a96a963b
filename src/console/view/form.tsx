import { type ComponentChildren, createContext, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { newId } from '../../platform/random';
import type { Faults } from '../http/exchange';
import { Notice } from './parts';

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
  /** What the script asks. */
  question: string;
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
      <button
        type="submit"
        class={danger ? 'danger' : undefined}
        data-question={props.danger && props.question}
        aria-describedby={told ? `of-${id}` : undefined}
      >
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
      {hint !== undefined && <Hint id={`${id}-hint`}>{hint}</Hint>}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  options: readonly string[];
  value?: string | undefined;
  hint?: string;
}

export const Choice = ({ label, name, options, value, hint }: ChoiceProps): VNode => (
  <div class="field">
    <label>
      <span>{label}</span>
      <select name={name} aria-describedby={hint === undefined ? undefined : `${name}-hint`}>
        {options.map((option) => (
          <option value={option} selected={option === value}>
            {option}
          </option>
        ))}
      </select>
    </label>
    {hint !== undefined && <Hint id={`${name}-hint`}>{hint}</Hint>}
  </div>
);

const Hint = ({ id, children }: { id: string; children: string }): VNode => (
  <small id={id} class="hint">
    {children}
  </small>
);

export const Check = ({ label, name, checked = false }: { label: string; name: string; checked?: boolean }): VNode => (
  <label class="check">
    <input type="checkbox" name={name} value="yes" checked={checked} /> <span>{label}</span>
  </label>
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
