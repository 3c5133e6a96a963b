import { AppConfig } from '../../platform/settings/config';
import { Clock } from '../../platform/clock';
import type { RenderedEmail } from '../message';
import { render } from '../templates/render';
import { DeliveryError } from './delivery-error';
import { SmtpTransport } from './smtp-transport';
import { SmtpSink } from '../../../test/support/messages/smtp-sink';

const MESSAGE = render('0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11', {
  kind: 'verification-code',
  channel: 'email',
  to: 'ada@example.com',
  locale: null,
  code: '048213',
  expiresInMinutes: 10,
}) as RenderedEmail;
const TRUST_ANY = 'tls.rejectUnauthorized=false';

/** Hands one e-mail over; the reason when it was not taken. */
async function deliverTo(url: string): Promise<string | null> {
  const from = { name: '', address: 'service@example.com' };
  const transport = await SmtpTransport.to({ url, from }, new Clock());
  try {
    await transport.deliver(MESSAGE);
    return null;
  } catch (error) {
    expect((error as DeliveryError).refused).toBe(false);
    return (error as DeliveryError).reason;
  } finally {
    transport.close();
  }
}

describe('an e-mail', () => {
  let plain: SmtpSink;
  let encrypting: SmtpSink;

  beforeAll(async () => {
    // Its library warns of its own certificate.
    jest.spyOn(console, 'error').mockImplementation();
    plain = await SmtpSink.start();
    encrypting = await SmtpSink.start({ offersTls: true });
  });
  beforeEach(() => {
    plain.received.length = 0;
    encrypting.received.length = 0;
  });
  afterAll(async () => {
    await plain.close();
    await encrypting.close();
  });

  it.each(['', '?requireTLS=false', '?ignoreTLS=true', '?opportunisticTLS=true', '?requireTLS=false&requireTLS=0'])(
    'does not leave in clear text for a server elsewhere that offers no encryption, whatever its address asks: %j',
    async (query) => {
      expect(await deliverTo(`${plain.urlFromElsewhere}${query}`)).toMatch(/^SMTP ETLS/);
      expect(plain.received).toEqual([]);
    },
  );

  it('does not leave for a server elsewhere whose certificate nobody vouches for', async () => {
    expect(await deliverTo(encrypting.urlFromElsewhere)).toMatch(/^SMTP /);
    expect(encrypting.received).toEqual([]);
  });

  it.each([`?${TRUST_ANY}`, `?ignoreTLS=true&${TRUST_ANY}`])(
    'is encrypted for a server elsewhere that offers it: %j',
    async (query) => {
      expect(await deliverTo(`${encrypting.urlFromElsewhere}${query}`)).toBeNull();
      expect(encrypting.received).toEqual([expect.objectContaining({ encrypted: true })]);
    },
  );

  it('may stay in clear text on this machine', async () => {
    expect(await deliverTo(plain.url)).toBeNull();
    expect(plain.received).toEqual([expect.objectContaining({ encrypted: false })]);
  });
});

describe('the address of the SMS gateway', () => {
  const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const REFUSAL = 'SMS_GATEWAY_URL: must be an https:// address without credentials, or http:// on loopback';
  const linesOf = (url: string): string[] => {
    try {
      new AppConfig({ SMS_GATEWAY_URL: url, SMS_GATEWAY_SECRET: SECRET });
      return [];
    } catch (error) {
      return (error as { lines: string[] }).lines;
    }
  };

  it.each([
    'http://sms.example.com/send',
    'http://10.0.0.7/send',
    'http://0.0.0.0/send',
    'http://127.0.0.1.example.com/',
    'http://localhost.example.com/',
    'http://[::2]/',
    'https://user:secret@sms.example.com/',
    'http://user@localhost/',
    'ftp://sms.example.com/',
    'sms.example.com',
    'https://',
  ])('stops the start where codes would cross a network in clear text, or none could be sent: %s', (url) => {
    expect(linesOf(url)).toEqual([REFUSAL]);
  });

  it.each([
    'https://sms.example.com/send',
    'https://10.0.0.7',
    'http://localhost:8080/',
    'http://127.0.0.1/',
    'http://[::1]:80/',
  ])('may be %s', (url) => {
    expect(linesOf(url)).toEqual([]);
  });
});
