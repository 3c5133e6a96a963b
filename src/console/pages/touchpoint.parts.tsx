import type { VNode } from 'preact';
import type { touchpointView } from '../../touchpoints/administration/touchpoint-view';
import { AuthenticationMode, ChannelProof } from '../../touchpoints/touchpoint.entity';
import { Check, Choice, Facts, Field, Form, Notice, Table, Text, Time } from '../view/parts';

type View = ReturnType<typeof touchpointView>;
type Values = Record<string, unknown>;

interface Shown {
  touchpoint: View;
  mayChange: boolean;
  /** What was refused. */
  typed: Record<string, string>;
}

const FIELDS: [name: string, label: string, hint: string][] = [
  ['rateLimit', 'Rate limit', 'requests/seconds such as 100/60, or unlimited, or default'],
  ['smsCountries', 'SMS countries', 'such as NO,SE, or default for all'],
  ['sessionMax', 'Session maximum', '30m to 90d, or default: sessions cannot be extended'],
  ['sessionIdle', 'Session idle time', 'from 5m on, at most the session maximum, or default for that'],
];

export function Settings({
  values,
  isNew = false,
  isReadOnly = false,
}: {
  values: Values;
  isNew?: boolean;
  isReadOnly?: boolean;
}): VNode {
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  if (isReadOnly) {
    return (
      <Facts
        facts={[
          ['Authentication mode', text('authMode')],
          ['Channel proof', text('channelProof')],
          ...FIELDS.map(([name, label]): [string, VNode] => [label, <Text value={text(name)} />]),
        ]}
      />
    );
  }
  return (
    <>
      {isNew && (
        <Field label="Code" name="code" value={text('code')} hint="3 to 64 of a-z, 0-9 and -; it stays" required />
      )}
      <Field label="Name" name="name" value={text('name')} hint="What people call it" maxLength={200} />
      <Choice
        label="Authentication mode"
        name="authMode"
        options={Object.values(AuthenticationMode)}
        value={text('authMode')}
      />
      <Choice
        label="Channel proof"
        name="channelProof"
        options={Object.values(ChannelProof)}
        value={text('channelProof')}
      />
      {FIELDS.map(([name, label, hint]) => (
        <Field label={label} name={name} value={text(name)} hint={hint} />
      ))}
    </>
  );
}

export const KeyShown = ({ done, code, apiKey }: { done: string; code: string; apiKey: string }): VNode => (
  <section>
    <Notice kind="done">{done}. Its key is shown this once: copy it now.</Notice>
    <Facts
      facts={[
        ['Code', <code>{code}</code>],
        ['Key', <code data-copy>{apiKey}</code>],
      ]}
    />
    <h2>For the application’s settings</h2>
    <pre>
      <code>{`TOUCHPOINT_CODE=${code}\nTOUCHPOINT_KEY=${apiKey}`}</code>
    </pre>
    <h2>To try it</h2>
    <pre>
      <code>
        {`curl -i "$BASE_URL/api/v1/reference/countries" \\\n  -H 'X-Touchpoint-Code: ${code}' \\\n  -H 'X-Touchpoint-Key: ${apiKey}'`}
      </code>
    </pre>
    <p>
      <a href={`/touchpoints/${code}`}>To the touchpoint</a>
    </p>
  </section>
);

export const Keys = ({ touchpoint: { code, keys, createdAt, enabled }, mayChange, typed }: Shown): VNode => (
  <section>
    <h2>Credential</h2>
    <Facts
      facts={[
        ['Code', <code>{code}</code>],
        ['State', enabled ? 'enabled' : 'disabled'],
        ['Created', <Time at={createdAt} />],
      ]}
    />
    <Table
      caption="Keys that work"
      heads={['Key', 'Since', 'Last used', 'Ends']}
      rows={keys.map((key) => [
        <code>…{key.hint}</code>,
        <Time at={key.createdAt} />,
        <Time at={key.lastUsedAt} />,
        key.expiresAt === null ? 'does not end' : <Time at={key.expiresAt} />,
      ])}
      empty="No key works: rotate it."
    />
    {mayChange && (
      <Form action={`/touchpoints/${code}/rotate-key`} button="Rotate key">
        <Field
          label="Overlap"
          name="overlap"
          value={typed.overlap ?? '24h'}
          hint="How long the present key works on, such as 24h; 0 when it has leaked"
        />
      </Form>
    )}
  </section>
);

export const Providers = ({ touchpoint: { code, providers }, mayChange, typed }: Shown): VNode => (
  <section>
    <h2>Identity providers</h2>
    <Table
      caption="Who may say who a consumer is"
      heads={['Issuer', 'Audience', 'Keys', 'Trusted e-mail', '']}
      rows={providers.map((provider) => [
        provider.issuer,
        provider.audience,
        'keys' in provider ? `${provider.keys.length} stored` : <Text value={provider.jwksUri} />,
        provider.trustEmail ? 'yes' : 'no',
        mayChange && (
          <Form action={`/touchpoints/${code}/providers/remove`} button="Remove" danger inline>
            <input type="hidden" name="issuer" value={provider.issuer} />
          </Form>
        ),
      ])}
      empty="None: consumers cannot be identified by assertions here."
    />
    {mayChange && (
      <Form action={`/touchpoints/${code}/providers`} button="Add provider">
        <Field label="Issuer" name="issuer" value={typed.issuer} hint="Exactly the claim iss" required />
        <Field label="Audience" name="audience" value={typed.audience} hint="What the claim aud must hold" required />
        <Field
          label="JWKS URI"
          name="jwksUri"
          value={typed.jwksUri}
          hint="Where the issuer publishes its keys"
          required
        />
        <Check label="Addresses that it calls verified count as verified here" name="trustEmail" />
      </Form>
    )}
  </section>
);
