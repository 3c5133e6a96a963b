// How fast one subscriber reads the log of events, and what registrations pay for writing it.
import { PASSWORD, person, postRequest, send } from '../support/consumers.mjs';
import { ratio } from '../support/figures.mjs';
import { inTurn, rateOf } from '../support/load.mjs';
import { query, startPostgres } from '../support/postgres.mjs';
import { startRawSpec, startService } from '../support/servers.mjs';

const EVENTS = 100_000;
const PAGE = 1_000;
const LOAD = { connections: 16, seconds: 10, status: 201, idReplacement: true };

/** Without a position, as acts leave them. */
const PENDING = `
  INSERT INTO event_pending (type, occurred_at, consumer_id, touchpoint, data)
  SELECT 'consumer.updated', now(), md5((n % 10000)::text)::uuid, 'bench', '{"changed": ["firstName"]}'
  FROM generate_series(1, ${EVENTS}) AS n`;

export const measure = async () => [await reading(), ...(await writing())];

async function reading() {
  const postgres = await startPostgres();
  const service = await startService(postgres);
  try {
    const { code, key } = service.cli('subscriber', 'create', '--code', 'bench', '--from-start');
    const headers = { 'X-Subscriber-Code': code, 'X-Subscriber-Key': key };
    await query(postgres.url, PENDING);
    const begun = performance.now();
    let count = 0;
    for (let after = '0'; count < EVENTS;) {
      const path = `/integration/v1/events?after=${after}&limit=${PAGE}`;
      /** @type {{ events: unknown[], nextAfter: string }} */
      const page = await send(service, { method: 'GET', path, headers });
      count += page.events.length;
      after = page.nextAfter;
    }
    const seconds = (performance.now() - begun) / 1000;
    const madeOf = `${count.toLocaleString('en')} events in ${seconds.toFixed(1)} s, numbered meanwhile`;
    return { name: 'events a second to one subscriber', atLeast: 5_000, value: count / seconds, madeOf };
  } finally {
    await service.stop();
    postgres.stop();
  }
}

async function writing() {
  const [postgres, other] = [await startPostgres(), await startPostgres()];
  const [service, without] = [await startService(postgres), await startService(other, { noEvents: true })];
  const rawSpec = await startRawSpec(postgres, service.headers);
  try {
    // autocannon puts another id there in each request.
    const newConsumer = { ...person('ada-[<id>]@example.com'), password: PASSWORD };
    const registering = (/** @type {import('../support/servers.mjs').Server} */ target) => () =>
      rateOf(target, { ...LOAD, requests: [postRequest(target, '/api/v1/register', newConsumer)] });
    const rates = await inTurn({
      with: registering(service),
      without: registering(without),
      rawSpec: registering(rawSpec),
    });
    const written = 'SELECT position > 0 OR EXISTS (SELECT 1 FROM event_pending) AS any FROM event_head';
    if ((await query(other.url, written))[0].any) throw new Error('The service without events has written some');
    const name = 'registrations a second ÷';
    return [
      { name: `${name} without events`, atLeast: 0.97, ...ratio(rates.with, rates.without, '/s') },
      { name: `${name} raw-spec`, atLeast: 0.9, ...ratio(rates.with, rates.rawSpec, '/s') },
    ];
  } finally {
    await rawSpec.stop();
    await service.stop();
    await without.stop();
    postgres.stop();
    other.stop();
  }
}
