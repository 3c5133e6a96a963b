import autocannon from 'autocannon';
import { NEW_ID } from './load.mjs';
import { monotonicMs } from './monotonic.mjs';

process.on('message', (/** @type {import('./load.mjs').Load} */ task) => {
  const { baseUrl: url, connections, seconds: duration, requests, expectedStatus, withTimes } = task;
  let begun = 0;
  /** Each connection starts elsewhere in the list, so that no two of them ask the same at once.
   * @param {autocannon.Client} client */
  const setupClient = (client) => {
    const first = Math.floor((begun * requests.length) / connections) % requests.length;
    begun += 1;
    client.setRequests(/** @type {any} */ ([...requests.slice(first), ...requests.slice(0, first)]));
  };
  const idReplacement = requests.some(({ body }) => body?.includes(NEW_ID));
  const options = { url, connections, duration, idReplacement, requests: /** @type {any} */ (requests), setupClient };
  const expected = { count: 0, steadyAt: 0, lastAt: 0 };
  /** @type {number[]} */
  const answeredAt = [];
  /** @type {Record<string, number>} */
  const unexpected = {};
  const begunAt = performance.now();
  const load = autocannon(options, (error, result) => {
    if (error) {
      process.send?.({ error: String(error) });
      return;
    }
    const { errors, latency } = result;
    if (errors > 0) unexpected.errors = errors;
    const { count, steadyAt, lastAt } = expected;
    // Else the wait for the first answers, and the hashes that are under way at the end, would count as time without any.
    const [answered, steadyMs] = count > connections ? [count - connections, lastAt - steadyAt] : [0, 0];
    const perSecond = answered > 0 ? (answered * 1000) / steadyMs : 0;
    const silentMs = Math.max(steadyAt - begunAt, performance.now() - lastAt);
    const { p50, p99 } = latency;
    process.send?.({ result: { count, answered, steadyMs, perSecond, silentMs, p50, p99, answeredAt, unexpected } });
  });
  load.on('response', (_client, status) => {
    if (status === expectedStatus) {
      expected.count += 1;
      expected.lastAt = performance.now();
      if (expected.count === connections) expected.steadyAt = expected.lastAt;
      if (withTimes) answeredAt.push(monotonicMs());
    } else {
      unexpected[status] = (unexpected[status] ?? 0) + 1;
    }
  });
});
