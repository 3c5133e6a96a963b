import type { ComponentChildren, VNode } from 'preact';
import type { AppConfig } from '../../platform/settings/config';
import { baseUrl } from '../../platform/values/base-url';
import { durationSeconds } from '../../platform/values/duration';
import { RefusedError } from '../http/refusal';
import { Field, Form } from '../view/form';
import { Copied, Facts, Notice, Table, Time } from '../view/parts';

/** The address of the API, which only a service on one machine knows. */
export const apiAddress = ({ isProduction, host, port }: AppConfig): string | null =>
  isProduction || port === 0 ? null : baseUrl({ address: host, port });

interface KeyShownProps {
  /** What has been done. */
  done: string;
  /** Who holds the key: the names of its variables and headers begin with it. */
  holder: 'Touchpoint' | 'Subscriber';
  code: string;
  apiKey: string;
  /** Null: whoever tries it fills it in. */
  api: string | null;
  /** What a GET tries it with. */
  path: string;
  back: VNode;
}

/** A new key, this once. */
export function KeyShown({ done, holder, code, apiKey, api, path, back }: KeyShownProps): VNode {
  const variable = holder.toUpperCase();
  const call = `curl -i "${api ?? '$API'}${path}" \\\n  -H 'X-${holder}-Code: ${code}' \\\n  -H 'X-${holder}-Key: ${apiKey}'`;
  return (
    <section>
      <Notice kind="done">{done}. Its key is shown this once: copy it now.</Notice>
      <Facts
        facts={[
          ['Code', <code>{code}</code>],
          ['Key', <code data-copy="key">{apiKey}</code>],
        ]}
      />
      {api === null && (
        <p>
          In place of <code>{NO_ADDRESS}</code> put in the address of the API, which the console does not know.
        </p>
      )}
      <h2>For the application’s settings</h2>
      <Copied what="settings">{`API=${api ?? NO_ADDRESS}\n${variable}_CODE=${code}\n${variable}_KEY=${apiKey}`}</Copied>
      <h2>To try it</h2>
      <Copied what="command">{api === null ? `export API=${NO_ADDRESS}\n${call}` : call}</Copied>
      <p>{back}</p>
    </section>
  );
}

const NO_ADDRESS = 'https://…';

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

/** In seconds; `field` is the id of the field. */
export function overlapIn({ overlap = '' }: Record<string, string>, field = 'overlap'): number {
  const seconds = durationSeconds(overlap.trim() || '0');
  if (seconds !== null) return seconds;
  const fault = 'Overlap must be a duration such as 30m, 24h or 7d, or 0';
  throw new RefusedError(fault, { [field]: fault });
}
