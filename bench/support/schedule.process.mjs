import { Agent, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true });

/**
 * @param {string} url
 * @param {import('./load.mjs').LoadRequest} options
 */
const answered = (url, { method, headers }) =>
  new Promise((resolve, reject) => {
    const outgoing = send(url, { agent, method, headers }, (response) => {
      response.resume();
      if (response.statusCode !== 200) reject(new Error(`${method} ${url}: ${String(response.statusCode)}`));
      response.once('end', resolve);
    });
    outgoing.once('error', reject).end();
  });

/** @param {import('./load.mjs').Schedule} schedule */
async function run({ baseUrl, request, perSecond, seconds }) {
  const start = performance.now();
  const answers = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = start + (index * 1000) / perSecond;
    await sleep(Math.max(0, due - performance.now()));
    answers.push(answered(baseUrl + request.path, request).then(() => performance.now() - due));
  }
  return Promise.all(answers);
}

process.once('message', (/** @type {import('./load.mjs').Schedule} */ schedule) => {
  run(schedule).then(
    (result) => process.send?.({ result }),
    (/** @type {unknown} */ error) => process.send?.({ error: String(error) }),
  );
});
