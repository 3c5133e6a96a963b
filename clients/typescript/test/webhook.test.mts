import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { verifyWebhook, WebhookError } from 'consumer-service-client';

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const body = JSON.stringify({ id: 'event', type: 'consumer.erased' });
  const seconds = 1_770_000_000;
  const now = { now: seconds * 1000 };
  const signed = (text: string, key = secret, time = String(seconds)) => {
    const digest = createHmac('sha256', Buffer.from(key.slice(6), 'base64'))
      .update(`id.${time}.${text}`)
      .digest('base64');
    return { 'webhook-id': 'id', 'webhook-timestamp': time, 'webhook-signature': `v1a,none v1,${digest}` };
  };
  const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;

  it('gives the event of a genuine webhook, also with one of two secrets', () => {
    assert.equal(verifyWebhook(signed(body), body, secret, now).type, 'consumer.erased');
    assert.equal(verifyWebhook(new Headers(signed(body)), Buffer.from(body), [other, secret], now).id, 'event');
  });

  it('knows the example of Standard Webhooks', () => {
    const text = '{"test": 2432232314}';
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    verifyWebhook(headers, text, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { now: 1_614_265_330_000 });
  });

  it('refuses a secret that is missing or cut off, whoever signed with it, also beside a good one', () => {
    for (const short of ['', 'whsec_', `whsec_${Buffer.alloc(23).toString('base64')}`]) {
      const forged = signed(body, short.padEnd(6));
      assert.throws(() => verifyWebhook(forged, body, short, now), TypeError);
      assert.throws(() => verifyWebhook(forged, body, [short, secret], now), TypeError);
      assert.throws(() => verifyWebhook(signed(body), body, [secret, short], now), TypeError);
    }
    assert.throws(() => verifyWebhook(signed(body), body, [], now), WebhookError);
  });

  for (const [what, headers, text] of [
    ['another body', signed(body), `${body} `],
    ['another secret', signed(body, other), body],
    ['an old one', signed(body, secret, String(seconds - 301)), body],
    ['one from the future', signed(body, secret, String(seconds + 301)), body],
    ['a time that is none', signed(body, secret, 'now'), body],
    ['no signature', { ...signed(body), 'webhook-signature': '' }, body],
    [
      'another version',
      { ...signed(body), 'webhook-signature': signed(body)['webhook-signature'].replace('v1,', 'v2,') },
      body,
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => verifyWebhook(headers, text, secret, now), WebhookError);
    });
  }
});
