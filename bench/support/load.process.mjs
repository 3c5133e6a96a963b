import autocannon from 'autocannon';
import { NEW_ID } from './load.mjs';

process.once('message', (/** @type {import('./load.mjs').Load} */ load) => {
  const { baseUrl: url, connections, seconds: duration, requests, expectedStatus } = load;
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
  autocannon(options, (error, result) => {
    if (error) {
      process.send?.({ error: String(error) });
      return;
    }
    const { errors, latency, duration: seconds } = result;
    const counts = Object.entries(/** @type {Record<string, { count: number }>} */ (result.statusCodeStats ?? {}));
    const count = counts.find(([status]) => status === String(expectedStatus))?.[1].count ?? 0;
    const unexpected = Object.fromEntries(
      counts.filter(([status]) => status !== String(expectedStatus)).map(([status, stat]) => [status, stat.count]),
    );
    if (errors > 0) unexpected.errors = errors;
    process.send?.({ result: { count, perSecond: count / seconds, p50: latency.p50, p99: latency.p99, unexpected } });
  });
});
