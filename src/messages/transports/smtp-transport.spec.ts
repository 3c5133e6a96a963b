import { codeFor } from '../../../test/support/in-process/queued-messages';
import { SmtpSink } from '../../../test/support/messages/smtp-sink';
import { Clock } from '../../platform/clock';
import type { RenderedEmail } from '../message';
import { render } from '../templates/render';
import { DeliveryError } from './delivery-error';
import { SmtpTransport } from './smtp-transport';

describe('the SMTP transport', () => {
  const timeouts = { connection: 300, greeting: 300, socket: 300, whole: 1_000 };
  const message = render('0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11', codeFor('ada@example.com')) as RenderedEmail;

  it.each(['mute', 'hang', 'break', 'busy', 'refuse-recipient'] as const)(
    'does not wait for ever, and repeats no answer, when the server does this: %s',
    async (behaviour) => {
      const sink = await SmtpSink.start();
      sink.behaviour = behaviour;
      const from = { name: '', address: 'service@example.com' };
      const transport = await SmtpTransport.to({ url: sink.url, from }, new Clock(), timeouts);
      const error: unknown = await transport.deliver(message).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(DeliveryError);
      expect((error as DeliveryError).refused).toBe(behaviour === 'refuse-recipient');
      expect((error as DeliveryError).message).not.toContain('ada@');
      transport.close();
      await sink.close();
    },
  );
});
