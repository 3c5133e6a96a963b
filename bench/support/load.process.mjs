import autocannon from 'autocannon';
import { NEW_ID } from './load.mjs';

process.once('message', (/** @type {import('./load.mjs').Load} */ task) => {
  const { baseUrl: url, connections, seconds: duration, requests, expectedStatus } = task;
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
  const expected = { count: 0, firstAt: 0, lastAt: 0 };
  /** @type {Record<string, number>} */
  const unexpected = {};
  const load = autocannon(options, (error, result) => {
    if (error) {
      process.send?.({ error: String(error) });
      return;
    }
    const { errors, latency } = result;
    if (errors > 0) unexpected.errors = errors;
    const { count, firstAt, lastAt } = expected;
    // Else the wait for the first answer, and the hashes that are under way at the end, would count as time without any.
    const perSecond = count < 2 ? 0 : ((count - 1) * 1000) / (lastAt - firstAt);
    process.send?.({ result: { count, perSecond, p50: latency.p50, p99: latency.p99, unexpected } });
  });
  load.on('response', (_client, status) => {
    if (status === expectedStatus) {
      expected.lastAt = performance.now();
      expected.firstAt ||= expected.lastAt;
      expected.count += 1;
    } else {
      unexpected[status] = (unexpected[status] ?? 0) + 1;
    }
  });
});
