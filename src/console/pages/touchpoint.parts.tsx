import type { VNode } from 'preact';
import type { CountedHour } from '../../audit/activity/activity.repository';
import type { touchpointView } from '../../touchpoints/administration/touchpoint-view';
import type { AppConfig } from '../../platform/settings/config';
import { AuthenticationMode, ChannelProof } from '../../touchpoints/touchpoint.entity';
import type { SendAllowances } from '../../verification/sending/send-allowances.service';
import { Check, Choice, Field, Form } from '../view/form';
import { Facts, Table, Text, Time } from '../view/parts';
import { KeyTable, Rotation } from './access-key.parts';

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
        <Field
          label="Code"
          name="code"
          value={text('code')}
          hint="3 to 64 of a-z, 0-9 and -; cannot be changed later"
          required
        />
      )}
      <Field label="Name" name="name" value={text('name')} hint="What people call it" maxLength={200} />
      <Choice
        label="Authentication mode"
        name="authMode"
        options={Object.values(AuthenticationMode)}
        value={text('authMode')}
        hint="How consumers log in. OTP is a one-time code: that login is not offered yet, so they cannot log in again"
      />
      <Choice
        label="Channel proof"
        name="channelProof"
        options={Object.values(ChannelProof)}
        value={text('channelProof')}
        hint="What a registration must prove, by a code that is sent there; NONE registers at once"
      />
      {FIELDS.map(([name, label, hint]) => (
        <Field label={label} name={name} value={text(name)} hint={hint} />
      ))}
    </>
  );
}

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
    <KeyTable caption="Keys that work" keys={keys} />
    {mayChange && <Rotation action={`/touchpoints/${code}/rotate-key`} overlap={typed.overlap} />}
  </section>
);

interface UseProps {
  /** In words. */
  rateLimit: string;
  thisHour: CountedHour[];
  messages: Awaited<ReturnType<SendAllowances['usedBy']>>;
}

/** The limit that is set, or those of the service. */
export function limitText(rateLimit: string, { rateLimitBurst, rateLimitSustained }: AppConfig): string {
  if (rateLimit !== 'default') return rateLimit.replace(/^(\d+)\/(\d+)$/, '$1 in $2 seconds');
  const limits = [
    ...(rateLimitBurst === 0 ? [] : [`${rateLimitBurst.toLocaleString('en')} a second`]),
    ...(rateLimitSustained === 0 ? [] : [`${rateLimitSustained.toLocaleString('en')} a minute`]),
  ];
  return `${limits.join(' and ') || 'unlimited'} (default)`;
}

/** What the application does, beside what it may. */
export function Use({ rateLimit, thisHour, messages }: UseProps): VNode {
  const counted = (kind: string) => (thisHour.find((row) => row.kind === kind)?.count ?? 0).toLocaleString('en');
  const of = ({ used, allowed }: { used: number; allowed: number }) =>
    `${used.toLocaleString('en')} of ${allowed === 0 ? 'any number' : allowed.toLocaleString('en')}`;
  return (
    <section>
      <h2>Limits and use</h2>
      <Facts
        facts={[
          ['Requests in this hour', counted('requests')],
          ['Refused by the rate limit', `${counted('RATE_LIMITED')} in this hour; the limit is ${rateLimit}`],
          ['Messages in this hour', of(messages.hour)],
          ['SMS today (UTC)', of(messages.smsToday)],
        ]}
      />
    </section>
  );
}

export const Providers = ({ touchpoint: { code, providers }, mayChange, typed }: Shown): VNode => (
  <section>
    <h2>Identity providers</h2>
    <Table
      caption="Whose assertions identify consumers"
      heads={['Issuer', 'Audience', 'Keys', 'Trusted e-mail', '']}
      rows={providers.map((provider) => [
        provider.issuer,
        provider.audience,
        'keys' in provider ? `${provider.keys.length} stored` : <Text value={provider.jwksUri} />,
        provider.trustEmail ? 'yes' : 'no',
        mayChange && (
          <>
            <Form action={`/touchpoints/${code}/providers/check`} button="Check" inline>
              <input type="hidden" name="provider" value={provider.issuer} />
            </Form>{' '}
            <Form
              action={`/touchpoints/${code}/providers/remove`}
              button="Remove"
              danger
              question="Remove this identity provider?"
              inline
              consequence="Its assertions are refused here at once; its consumers stay."
            >
              <input type="hidden" name="provider" value={provider.issuer} />
            </Form>
          </>
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
        <Check
          label="Addresses that it calls verified count as verified here"
          name="trustEmail"
          checked={typed.trustEmail !== undefined}
        />
      </Form>
    )}
  </section>
);
