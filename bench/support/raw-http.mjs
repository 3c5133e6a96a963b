// What requests and answers of the bare reference have in common, with every header that the API promises.
import { createHash, randomUUID } from 'node:crypto';

export const JSON_TYPE = 'application/json; charset=utf-8';

const limits = [
  { name: 'burst', quota: 1_000_000_000, seconds: 1, count: 0, endsAt: 0 },
  { name: 'sustained', quota: 1_000_000_000, seconds: 60, count: 0, endsAt: 0 },
];
const policy = limits.map(({ name, quota, seconds }) => `"${name}";q=${quota};w=${seconds}`).join(', ');

/** Counts a request, and tells what is left. */
function counted() {
  const now = performance.now();
  return limits
    .map((limit) => {
      if (now > limit.endsAt) Object.assign(limit, { count: 0, endsAt: now + limit.seconds * 1000 });
      limit.count += 1;
      return `"${limit.name}";r=${limit.quota - limit.count};t=${Math.ceil((limit.endsAt - now) / 1000)}`;
    })
    .join(', ');
}

/** What every answer carries. */
export const promised = () => ({
  'X-Request-Id': randomUUID(),
  'X-Content-Type-Options': 'nosniff',
  'RateLimit-Policy': policy,
  RateLimit: counted(),
});

export const tagOf = (/** @type {Buffer} */ bytes) =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {unknown} value
 */
export function answer(response, status, value) {
  const body = Buffer.from(JSON.stringify(value));
  const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': body.length, 'Cache-Control': 'no-store' };
  response.writeHead(status, { ...promised(), ...headers, ...(status === 200 && { ETag: tagOf(body) }) }).end(body);
}

/** @param {import('node:http').IncomingMessage} request */
export async function jsonOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
