// Whether the time of a request for a recovery code tells who has an account.
import { registerConsumers, postRequest, send } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { median } from '../support/load.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { startService } from '../support/servers.mjs';

const OF_EACH_KIND = 500;
/** What makes a consumer one of the kind; strangers have no account. */
const KINDS = {
  verified: `UPDATE identifier SET verified_at = now() WHERE value = ANY($1)`,
  claimed: '',
  disabled: `UPDATE consumer SET disabled_at = now()
    WHERE id IN (SELECT consumer_id FROM identifier WHERE value = ANY($1))`,
};

export async function measure() {
  const postgres = await startPostgres();
  const service = await startService(postgres, { freeHash: true });
  try {
    /** @type {Record<string, string[]>} */
    const emails = { unknown: Array.from({ length: OF_EACH_KIND }, (_, index) => `stranger-${index}@example.com`) };
    for (const [kind, statement] of Object.entries(KINDS)) {
      emails[kind] = (await registerConsumers(service, OF_EACH_KIND)).map(({ email }) => email);
      if (statement) await query(postgres.url, statement, [emails[kind]]);
    }
    const msOf = async (/** @type {string} */ identifier) => {
      const sentAt = performance.now();
      await send(service, postRequest(service, '/api/v1/password/forgot', { identifier }));
      return performance.now() - sentAt;
    };
    const kinds = Object.keys(emails);
    /** @type {Record<string, number[]>} */
    const times = Object.fromEntries(kinds.map((kind) => [kind, []]));
    for (let turn = 0; turn < OF_EACH_KIND; turn += 1) {
      // In a random order: what is still being delivered of one request slows the next a little.
      const order = kinds.map((kind) => ({ kind, at: Math.random() })).sort((a, b) => a.at - b.at);
      for (const { kind } of order) {
        times[kind]?.push(await msOf(emails[kind]?.[turn] ?? ''));
      }
    }
    const unknown = median(times.unknown ?? []);
    return Object.keys(KINDS).map((kind) => {
      const own = median(times[kind] ?? []);
      return {
        name: `median for a ${kind} or unknown address, slower ÷ faster`,
        atMost: 1.1,
        ...ratio(Math.max(own, unknown), Math.min(own, unknown), 'ms'),
      };
    });
  } finally {
    await service.stop();
    postgres.stop();
  }
}
