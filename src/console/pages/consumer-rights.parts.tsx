import type { VNode } from 'preact';
import type { ErasureProof } from '../../events/subscribers/subscribers.service';
import type { Role } from '../../operators/role';
import { mayUse } from '../routes';
import { Field, Form } from '../view/form';
import { State, Table, Time } from '../view/parts';

/** Acts that only an administrator does. */
export const Rights = ({ customerId }: { customerId: string }): VNode => (
  <section>
    <h2>The consumer’s rights</h2>
    <Form
      action={`/consumers/${customerId}/export`}
      button="Export"
      consequence="A file with everything that is kept, except secrets."
    />
    <Form
      action={`/consumers/${customerId}/erase`}
      button="Erase"
      danger
      question="Erase this consumer?"
      consequence="Erasing deletes the consumer, all identifiers and sessions, for good. It cannot be undone. In the audit trail only the customer id stays."
    >
      <Field label="Type the customer id to confirm" name="confirmation" required />
    </Form>
  </section>
);

/** Which other systems know that a consumer is erased. */
export const ErasureView = ({ proof, role }: { proof: ErasureProof; role: Role }): VNode => (
  <section>
    <p>
      Consumer <code>{proof.customerId}</code> has been erased: event {proof.position} tells other systems.{' '}
      {mayUse(role, 'GET /audit') && <a href={`/audit?consumer=${proof.customerId}`}>What the audit trail keeps</a>}
    </p>
    <Table
      caption="Who has acknowledged it"
      heads={['Subscriber', 'Erasure', 'Has read up to', 'Last acknowledged']}
      rows={proof.subscribers.map(({ code, isTold, hasPassed, acknowledged, acknowledgedAt }) => [
        code,
        isTold ? (
          <State good={hasPassed}>{hasPassed ? 'acknowledged' : 'not yet'}</State>
        ) : (
          'not told: it does not read this type, or began later'
        ),
        acknowledged,
        <Time at={acknowledgedAt} />,
      ])}
      empty="No other system reads events."
    />
  </section>
);
