// What every runtime has to do the same way: send, repeat, refuse, give up, follow nothing, keep a session.
const assert = require('node:assert/strict');
const { createHmac } = require('node:crypto');
const { once } = require('node:events');
const { createServer } = require('node:http');

const session = (iat) => {
  const claims = Buffer.from(JSON.stringify({ iat, exp: iat + 1800 })).toString('base64url');
  return { customerId: 'ada', token: `e30.${claims}.c2ln` };
};

/** A service in small. @returns what it was asked */
async function start() {
  const asked = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const path = `${request.method} ${request.url}`;
      const isFirst = !asked.some((one) => one.path === path);
      asked.push({ path, headers: request.headers, body });
      const answer = (status, value, headers = {}) => {
        const type = status < 400 ? 'application/json' : 'application/problem+json';
        response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers });
        response.end(value && JSON.stringify(value));
      };
      const now = Math.floor(Date.now() / 1000);
      if (request.url === '/api/v1/register') {
        if (isFirst) request.socket.destroy();
        else answer(201, session(now - 1000), { 'Ignored-Fields': 'emial' });
      } else if (request.url === '/api/v1/login') {
        answer(401, { code: 'INVALID_CREDENTIALS', status: 401, requestId: 'r-1' });
      } else if (request.url === '/api/v1/me') answer(200, { customerId: 'ada' }, { ETag: '"1"' });
      else if (request.url === '/api/v1/session/extend') answer(200, session(now));
      else if (request.url === '/api/v1/logout') answer(204);
      else if (request.url.endsWith('/NO/subdivisions')) response.writeHead(302, { Location: '/api/v1/me' }).end();
      // Whatever else is asked, is never answered.
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, asked, baseUrl: `http://127.0.0.1:${server.address().port}` };
}

exports.smoke = async ({ ApiProblem, Consumer, ConsumerServiceClient, verifyWebhook }) => {
  const { server, asked, baseUrl } = await start();
  const ignored = [];
  const client = new ConsumerServiceClient({
    ...{ baseUrl, touchpoint: { code: 'shop', key: 'tpk_' }, timeoutSeconds: 5 },
    onIgnoredFields: (names) => ignored.push(...names),
  });
  const signedIn = await client.register({ type: 'PERSON', firstName: 'Ada', lastName: 'Lovelace' });
  const [first, second] = asked;
  assert.equal(first.headers['idempotency-key'], second.headers['idempotency-key']);
  assert.deepEqual([first.body, ignored], [second.body, ['emial']]);
  assert.equal(second.headers['x-touchpoint-key'], 'tpk_');

  const ada = Consumer.from(client, signedIn);
  assert.equal((await ada.profile()).etag, '"1"');
  assert.notEqual(ada.token, signedIn.token);
  await ada.logout();

  await assert.rejects(client.login({ identifier: 'a@b.test', password: 'c' }), (error) => {
    assert.ok(error instanceof ApiProblem && error.is('INVALID_CREDENTIALS'));
    return error.requestId === 'r-1';
  });
  await assert.rejects(client.subdivisions('NO'), TypeError);
  await assert.rejects(client.subdivisions('SE', { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });

  const [secret, body, id] = [Buffer.alloc(24, 7), '{"type":"consumer.erased"}', 'id'];
  const time = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64');
  const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  assert.equal(verifyWebhook(headers, body, `whsec_${secret.toString('base64')}`).type, 'consumer.erased');

  server.closeAllConnections();
  server.close();
  console.log('sends, repeats, refuses, gives up, follows nothing, keeps a session');
};
