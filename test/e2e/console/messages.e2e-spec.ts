import { randomUUID } from 'node:crypto';
import { newPhone, register } from '../../support/api/consumers';
import { TestConsole } from '../../support/console/console';
import { freePort } from '../../support/service/free-port';
import { until } from '../../support/until';

interface Listed {
  id: string;
  state: string;
  attempts: number;
  reason: string | null;
}

describe('messages that cannot be handed over', () => {
  it('are shown with the reason, retried and dropped, in the console and by commands', async () => {
    // Nobody listens there.
    const gateway = `http://127.0.0.1:${await freePort()}`;
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const site = await TestConsole.start({ env: { SMS_GATEWAY_URL: gateway, SMS_GATEWAY_SECRET: secret } });
    const client = await site.app.client();
    const phone = newPhone();
    const { token } = await register(client, { phone });
    expect((await client.as(token).post('/api/v1/verifications/sms/request')).status).toBe(202);
    const listed = async () => (await site.app.administer<Listed[]>('message', 'list', '--to', phone))[0];
    await until(async () => (await listed())?.state === 'retrying');
    const { id, reason } = (await listed()) ?? { id: '', reason: null };
    expect(reason).toMatch(/ECONNREFUSED|connect/i);

    await site.app.query(`UPDATE message SET attempts = 9, due_at = now() + interval '1 day' WHERE id = $1`, [id]);
    const browser = await site.signedIn('OPERATOR');
    await browser.get('/messages');
    expect(browser.text).toContain(reason);
    expect(browser.html).not.toContain(phone);
    await browser.submit('/messages/retry', { message: id });
    expect([browser.status, browser.path]).toEqual([200, '/messages']);
    await until(async () => (await listed())?.state === 'retrying');
    expect((await listed())?.attempts).toBeLessThan(9);

    // Nothing takes these: they are due much later.
    await site.app.query(
      `INSERT INTO message SELECT (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(),
         'due_at', now() + interval '1 day', 'state', 'retrying', 'created_at', now() - interval '11 minutes'))).*
       FROM message m, generate_series(1, 105) WHERE m.id = $1`,
      [id],
    );
    await site.app.query(
      `UPDATE message SET state = 'failed', due_at = NULL, kept_until = now() + interval '1 day'
       WHERE id IN (SELECT id FROM message WHERE id <> $1 LIMIT 2)`,
      [id],
    );
    await browser.get('/');
    expect(browser.text).toContain('State degraded: sms messages wait for 11 minutes');
    expect(browser.text).toMatch(/Waiting \(sms\) 104, the oldest for 6\d\d s Waiting for another attempt 104/);
    expect(browser.text).toContain('Given up in the last 30 days 2');
    await browser.get('/messages');
    const shown = () => [...browser.html.matchAll(/action="\/messages\/drop"[^]*?name="message" value="([^"]*)"/g)];
    const first = shown();
    await browser.get(browser.links.find((link) => link.startsWith('/messages?after=')) ?? '');
    const ids = [...first, ...shown()].map(([, message]) => message);
    expect([first.length, ids.length, new Set(ids).size]).toEqual([100, 106, 106]);
    await site.app.query('DELETE FROM message WHERE id <> $1', [id]);

    await browser.get('/messages');
    const unknown = new URLSearchParams({ form: randomUUID(), message: 'none' });
    await browser.send('POST', '/messages/drop', unknown);
    expect([browser.status, browser.text]).toEqual([400, expect.stringContaining('No message none waits')]);
    await browser.submit('/messages/drop', { message: id });
    expect(browser.text).toContain('Every message has been handed over');
    expect(await listed()).toBeUndefined();

    for (const act of ['retry', 'drop']) {
      const { exitCode, stderr } = await site.app.cli('message', act, id);
      expect([act, exitCode, stderr]).toEqual([act, 1, expect.stringMatching(/^No message/)]);
    }
    const events = await site.app.administer<{ type: string; details: unknown }[]>('audit', 'list', '--since', '1h');
    const acts = events.filter(({ type }) => ['message.retried', 'message.dropped'].includes(type));
    const details = { messageId: id, kind: 'verification-code' };
    expect(acts.map(({ type, details: told }) => [type, told])).toEqual([
      ['message.retried', details],
      ['message.dropped', details],
    ]);
  });
});
