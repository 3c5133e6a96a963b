import type { ComponentChildren, VNode } from 'preact';

export const Notice = ({ kind, children }: { kind: 'done' | 'error' | 'info'; children: ComponentChildren }): VNode => (
  <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {children}
  </p>
);

export const Time = ({ at }: { at: Date | string | null }): VNode => {
  if (at === null) return <span class="none">–</span>;
  const iso = typeof at === 'string' ? at : at.toISOString();
  return (
    <time dateTime={iso}>
      <span>{iso.slice(0, 10)}</span> <span>{iso.slice(11, 19)} UTC</span>
    </time>
  );
};

export const Text = ({ value }: { value: string | number | null | undefined }): VNode =>
  value === null || value === undefined || value === '' ? <span class="none">–</span> : <>{value}</>;

interface StateProps {
  /** Null: neither good nor bad. */
  good: boolean | null;
  children: ComponentChildren;
}

export const State = ({ good, children }: StateProps): VNode => (
  <span class={good === null ? 'quiet' : good ? 'state good' : 'state bad'}>{children}</span>
);

/** An id or other long text without spaces, which may break anywhere. */
export const Long = ({ children, id = false }: { children: ComponentChildren; id?: boolean }): VNode => (
  <span class={id ? 'long id' : 'long'}>{children}</span>
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

/**
 * On a narrow screen the cells of a row stand below each other, each with the name of its column; the roles keep it a
 * table there. Where it is still too wide, only the table scrolls, also by keyboard.
 */
export const Table = ({ caption, heads, rows, empty }: TableProps): VNode =>
  rows.length === 0 ? (
    <p class="empty">{empty}</p>
  ) : (
    <div class={heads.length > 2 ? 'scroll wide' : 'scroll'} tabIndex={0} role="region" aria-label={caption}>
      <table role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((head) => (
              <th scope="col" role="columnheader">
                {head === '' ? 'Actions' : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((cells) => (
            <tr role="row">
              {cells.map((cell, column) => (
                <td role="cell" data-label={heads[column]}>
                  <div>{cell}</div>
                </td>
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
