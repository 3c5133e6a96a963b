import type { ComponentChildren, VNode } from 'preact';
import { durationSeconds } from '../../platform/values/duration';
import { RefusedError } from '../http/refusal';
import { Facts, Field, Form, Notice, Table, Time } from '../view/parts';

interface KeyShownProps {
  /** What has been done. */
  done: string;
  code: string;
  apiKey: string;
  /** A command to try it with. */
  trial: string;
  /** What stands before the trial. */
  children?: ComponentChildren;
  back: VNode;
}

/** A new key, this once. */
export const KeyShown = ({ done, code, apiKey, trial, children, back }: KeyShownProps): VNode => (
  <section>
    <Notice kind="done">{done}. Its key is shown this once: copy it now.</Notice>
    <Facts
      facts={[
        ['Code', <code>{code}</code>],
        ['Key', <code data-copy>{apiKey}</code>],
      ]}
    />
    {children}
    <h2>To try it</h2>
    <pre>
      <code>{trial}</code>
    </pre>
    <p>{back}</p>
  </section>
);

interface WorkingKey {
  hint: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
}

export const KeyTable = ({ caption, keys }: { caption: string; keys: WorkingKey[] }): VNode => (
  <Table
    caption={caption}
    heads={['Key', 'Since', 'Last used', 'Ends']}
    rows={keys.map((key) => [
      <code>…{key.hint}</code>,
      <Time at={key.createdAt} />,
      <Time at={key.lastUsedAt} />,
      key.expiresAt === null ? 'does not end' : <Time at={key.expiresAt} />,
    ])}
    empty="No key works: rotate it."
  />
);

interface RotationProps {
  action: string;
  /** Where the field stands more than once on a page. */
  id?: string;
  overlap?: string | undefined;
  children?: ComponentChildren;
}

export const Rotation = ({ action, id, overlap = '24h', children }: RotationProps): VNode => (
  <Form
    action={action}
    button="Rotate key"
    consequence="The present key works until the overlap ends; older ones stop now. With an overlap of 0 the present key stops now too: whoever does not have the new one is refused."
  >
    {children}
    <Field
      label="Overlap"
      name="overlap"
      {...(id !== undefined && { id })}
      value={overlap}
      hint="How long the present key still works, such as 24h; 0 when it has leaked"
    />
  </Form>
);

/** In seconds. */
export function overlapIn({ overlap = '' }: Record<string, string>): number {
  const seconds = durationSeconds(overlap.trim() || '0');
  if (seconds === null) throw new RefusedError('Overlap must be a duration such as 30m, 24h or 7d, or 0');
  return seconds;
}
