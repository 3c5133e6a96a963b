import type { ComponentChildren, VNode } from 'preact';
import type { ConsumerRecord } from '../../consumers/administration/consumer-records.service';
import { maskedDestination } from '../../verification/channel';
import { Facts, Field, Form, Notice, State, Table, Text, Time } from '../view/parts';

interface ConsumerProps {
  record: ConsumerRecord;
  isRevealed: boolean;
  mayErase: boolean;
  /** What was refused. */
  typed: Record<string, string>;
}

export const ConsumerView = (props: ConsumerProps): VNode => (
  <>
    <Profile {...props} />
    <Sessions {...props} />
    <Access {...props} />
    <Trail {...props} />
    {props.mayErase && <Rights {...props} />}
  </>
);

const hidden = <span class="quiet">hidden</span>;
const initial = (name: string): string => `${String.fromCodePoint(name.codePointAt(0) ?? 0x2026)}…`;

const Profile = ({ record: { profile }, isRevealed, typed }: ConsumerProps): VNode => {
  const personal = (value: ComponentChildren): ComponentChildren => {
    if (value === null || value === undefined) return <Text value={null} />;
    return isRevealed ? value : hidden;
  };
  const address = (channel: 'email' | 'sms', value: string | null, isVerified: boolean): ComponentChildren => {
    if (value === null) return <Text value={null} />;
    const shown = isRevealed ? value : maskedDestination(channel, value);
    return (
      <>
        {shown} <State good={isVerified}>{isVerified ? 'verified' : 'not verified'}</State>
      </>
    );
  };
  const { postalAddress, attributes } = { postalAddress: profile.address, attributes: profile.attributes };
  return (
    <section>
      <h2>Profile</h2>
      <Facts
        facts={[
          ['Customer id', <code>{profile.customerId}</code>],
          [
            'Name',
            isRevealed
              ? `${profile.firstName} ${profile.lastName}`
              : `${initial(profile.firstName)} ${initial(profile.lastName)}`,
          ],
          ['E-mail', address('email', profile.email, profile.emailVerified)],
          ['Phone', address('sms', profile.phone, profile.phoneVerified)],
          [
            'E-mail to be confirmed',
            profile.pendingEmail === null ? null : address('email', profile.pendingEmail, false),
          ],
          ['Phone to be confirmed', profile.pendingPhone === null ? null : address('sms', profile.pendingPhone, false)],
          ['Birth date', personal(profile.birthDate)],
          ['Locale', <Text value={profile.locale} />],
          ['Address', personal(postalAddress && Object.values(postalAddress).filter(Boolean).join(', '))],
          [
            'Attributes',
            personal(
              attributes && Object.keys(attributes).length > 0 ? <code>{JSON.stringify(attributes)}</code> : null,
            ),
          ],
          ['Password', profile.hasPassword ? 'set' : 'none'],
          ['Identity providers', <Text value={profile.externalIdentities.map(({ issuer }) => issuer).join(', ')} />],
        ].filter((fact): fact is [string, ComponentChildren] => fact[1] !== null)}
      />
      {isRevealed ? (
        <Notice kind="info">The audit trail records that you have seen this, and why.</Notice>
      ) : (
        <Form action={`/consumers/${profile.customerId}/reveal`} button="Reveal">
          <Field
            label="Reason"
            name="reason"
            value={typed.reason}
            hint="Why you need to see it, such as a ticket; the audit trail keeps it"
            required
            maxLength={500}
          />
        </Form>
      )}
    </section>
  );
};

const Sessions = ({ record: { profile, sessions } }: ConsumerProps): VNode => {
  const path = `/consumers/${profile.customerId}`;
  const live = sessions.filter(({ isLive }) => isLive);
  return (
    <section>
      <h2>Sessions</h2>
      <Table
        caption="Where the consumer is signed in"
        heads={['Touchpoint', 'Signed in', 'Last used', 'Ends', '']}
        rows={live.map(({ sessionId, touchpoint, createdAt, lastUsedAt, expiresAt }) => [
          touchpoint,
          <Time at={createdAt} />,
          <Time at={lastUsedAt} />,
          <Time at={expiresAt} />,
          <Form action={`${path}/end-session`} button="End session" danger inline>
            <input type="hidden" name="session" value={sessionId} />
          </Form>,
        ])}
        empty="The consumer is signed in nowhere."
      />
      {live.length > 1 && (
        <>
          <p>Every token stops working at its next use; the consumer has to log in again everywhere.</p>
          <Form action={`${path}/end-sessions`} button="End all sessions" danger />
        </>
      )}
    </section>
  );
};

const Access = ({ record: { profile, disabledAt }, typed }: ConsumerProps): VNode => (
  <section>
    <h2>{disabledAt === null ? 'Disable' : 'Enable'}</h2>
    <p>
      {disabledAt === null ? (
        'Nobody can act as the consumer any more: sessions end, and a login is refused as if there were no account. The identifiers stay taken.'
      ) : (
        <>
          Disabled since <Time at={disabledAt} />. Whoever knows the password can log in again.
        </>
      )}
    </p>
    <Form
      action={`/consumers/${profile.customerId}/${disabledAt === null ? 'disable' : 'enable'}`}
      button={disabledAt === null ? 'Disable' : 'Enable'}
      danger={disabledAt === null}
    >
      <Field label="Reason" name="reason" value={typed.reason} hint="For the audit trail" required maxLength={500} />
    </Form>
  </section>
);

const Trail = ({ record: { auditTrail, auditTrailIsCut } }: ConsumerProps): VNode => (
  <section>
    <h2>Audit trail</h2>
    <Table
      caption="The newest first"
      heads={['At', 'Event', 'Outcome', 'By', 'Touchpoint', 'Request']}
      rows={auditTrail
        .toReversed()
        .slice(0, 50)
        .map((event) => [
          <Time at={event.at} />,
          event.type,
          <State good={event.outcome === 'done'}>{event.outcome}</State>,
          event.actor,
          <Text value={event.touchpoint} />,
          event.requestId === null ? (
            <Text value={null} />
          ) : (
            <a href={`/requests/${event.requestId}`}>
              <code>{event.requestId}</code>
            </a>
          ),
        ])}
      empty="Nothing is recorded."
    />
    {(auditTrailIsCut || auditTrail.length > 50) && <p class="quiet">The newest 50 are shown.</p>}
  </section>
);

const Rights = ({ record: { profile } }: ConsumerProps): VNode => (
  <section>
    <h2>The consumer’s rights</h2>
    <p>An export has everything that is kept, except secrets.</p>
    <Form action={`/consumers/${profile.customerId}/export`} button="Export" />
    <p>
      Erasing deletes the consumer, all identifiers and sessions, for good. It cannot be undone. In the audit trail only
      the customer id stays.
    </p>
    <Form action={`/consumers/${profile.customerId}/erase`} button="Erase" danger>
      <Field label="Type the customer id to confirm" name="confirmation" required />
    </Form>
  </section>
);
