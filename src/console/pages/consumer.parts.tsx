import type { ComponentChildren, VNode } from 'preact';
import type { ConsumerRecord } from '../../consumers/administration/consumer-records.service';
import type { Role } from '../../operators/role';
import { maskedDestination } from '../../verification/channel';
import { mayUse } from '../routes';
import { Field, Form } from '../view/form';
import { Facts, Notice, State, Table, Text, Time } from '../view/parts';
import { Events } from './audit.parts';
import { Rights } from './consumer-rights.parts';

interface ConsumerProps {
  record: ConsumerRecord;
  isRevealed: boolean;
  role: Role;
  /** What was refused. */
  typed: Record<string, string>;
}

export const ConsumerView = (props: ConsumerProps): VNode => (
  <>
    <Profile {...props} />
    <Sessions {...props} />
    {props.record.disabledAt === null && <Recovery {...props} />}
    <Access {...props} />
    <Trail {...props} />
    {mayUse(props.role, 'POST /consumers/:customerId/erase') && <Rights customerId={props.record.profile.customerId} />}
  </>
);

const hidden = <span class="quiet">hidden</span>;
const initial = (name: string): string => `${String.fromCodePoint(name.codePointAt(0) ?? 0x2026)}…`;

const Profile = ({ record: { profile, disabledAt }, isRevealed, typed }: ConsumerProps): VNode => {
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
            'State',
            disabledAt === null ? (
              <State good>enabled</State>
            ) : (
              <State good={false}>
                disabled since <Time at={disabledAt} />
              </State>
            ),
          ],
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
          <Reason of="reveal" typed={typed} hint="Why you need to see it, such as a ticket; the audit trail keeps it" />
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
          <Form
            action={`${path}/end-session`}
            button="End session"
            danger
            question="End this session?"
            inline
            consequence="The consumer has to log in again there."
          >
            <input type="hidden" name="session" value={sessionId} />
          </Form>,
        ])}
        empty="The consumer is signed in nowhere."
      />
      {live.length > 1 && (
        <Form
          action={`${path}/end-sessions`}
          button="End all sessions"
          danger
          question="End all sessions?"
          consequence="Every token stops working at its next use; the consumer has to log in again everywhere."
        />
      )}
    </section>
  );
};

const Recovery = ({ record: { profile }, typed }: ConsumerProps): VNode => (
  <section>
    <h2>Recovery</h2>
    {profile.emailVerified || profile.phoneVerified ? (
      <Form
        action={`/consumers/${profile.customerId}/send-recovery`}
        button="Send recovery"
        consequence="Writes to every proven address how to choose a new password, by “Forgot your password?” where the consumer signs in. The present password and sessions stay until then."
      >
        <Reason of="send-recovery" typed={typed} />
      </Form>
    ) : (
      <p>The consumer has no proven address to write to.</p>
    )}
  </section>
);

const Access = ({ record: { profile, disabledAt }, typed }: ConsumerProps): VNode => (
  <section>
    <h2>{disabledAt === null ? 'Disable' : 'Enable'}</h2>
    {disabledAt === null ? (
      <Form
        action={`/consumers/${profile.customerId}/disable`}
        button="Disable"
        danger
        question="Disable this consumer?"
        consequence="Sessions end, and logins are refused as if there were no account. The identifiers stay taken."
      >
        <Reason of="disable" typed={typed} />
      </Form>
    ) : (
      <Form
        action={`/consumers/${profile.customerId}/enable`}
        button="Enable"
        consequence={
          <>
            Disabled since <Time at={disabledAt} />. After this, whoever knows the password can log in again.
          </>
        }
      >
        <Reason of="enable" typed={typed} />
      </Form>
    )}
  </section>
);

export type ActWithReason = 'reveal' | 'send-recovery' | 'disable' | 'enable';

/** The id of the field, of which a page has several. */
export const reasonField = (act: ActWithReason): string => `reason-${act}`;

interface ReasonProps {
  of: ActWithReason;
  typed: Record<string, string>;
  hint?: string;
}

const Reason = ({ of, typed, hint = 'For the audit trail' }: ReasonProps): VNode => (
  <Field label="Reason" name="reason" id={reasonField(of)} value={typed.reason} hint={hint} required maxLength={500} />
);

const Trail = ({ record: { profile, auditTrail, auditTrailIsCut }, role }: ConsumerProps): VNode => (
  <section>
    <h2>Audit trail</h2>
    <Events events={auditTrail.toReversed()} caption="The newest first" role={role} ofOne />
    {auditTrailIsCut && <p class="quiet">{`The newest ${auditTrail.length} are shown.`}</p>}
    {mayUse(role, 'GET /audit') && (
      <p>
        <a href={`/audit?consumer=${profile.customerId}`}>All of it under Audit</a>
      </p>
    )}
  </section>
);
