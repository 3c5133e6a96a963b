// The least that the service's rules can cost: `node:http`, `pg` with the service's own statements prepared, HS256 by
// hand, bcryptjs in two threads, and every header that the API promises. No framework, no validation, no log, no
// metrics, no errors but the ones that the rules ask for.
import { createHash, createHmac, createSecretKey, hkdfSync, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import pg from 'pg';
import { Piscina } from 'piscina';
import { iso31661 } from 'iso-3166';
import { answer, JSON_TYPE, jsonOf, promised, tagOf } from './support/raw-http.mjs';
import { REGISTER, registrationValues } from './support/raw-registration.mjs';

/** @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, touchpoint: any) => Promise<void> | void} Handler */

const { DATABASE_URL, APP_SECRET = '', BCRYPT_COST, PORT } = process.env;
const SESSION_SECONDS = 1800;
const TOUCHPOINT_MAX_AGE_MS = 500;
const GUESS_WINDOW_MS = 15 * 60_000;
const GUESSES = 10;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const hashing = new Piscina({
  filename: resolve(import.meta.dirname, 'support/hash.worker.mjs'),
  minThreads: 2,
  maxThreads: 2,
});
const tokenKey = createSecretKey(Buffer.from('a key of the benchmark that opens nothing'));
const derived = (/** @type {string} */ purpose) => Buffer.from(hkdfSync('sha256', APP_SECRET, '', purpose, 48));
const pepper = derived('password-pepper');
const guessKey = derived('login-attempt');

const TOUCHPOINT = `SELECT t.id, t.enabled, k.digest FROM touchpoint t JOIN touchpoint_key k ON k.touchpoint_id = t.id WHERE t.code = $1`;
const PROFILE = `
  SELECT c.id AS "customerId", c.type, c.first_name AS "firstName", c.last_name AS "lastName",
    e.value AS email, e.verified_at IS NOT NULL AS "emailVerified", pe.value AS "pendingEmail",
    p.value AS phone, p.verified_at IS NOT NULL AS "phoneVerified", pp.value AS "pendingPhone",
    c.birth_date::text AS "birthDate", c.locale, c.address, c.attributes,
    k.consumer_id IS NOT NULL AS "hasPassword",
    (SELECT coalesce(json_agg(json_build_object('issuer', x.issuer, 'linkedAt', x.created_at)), '[]')
      FROM external_identity x WHERE x.consumer_id = c.id) AS "externalIdentities", c.created_at AS "createdAt", c.updated_at AS "updatedAt"
  FROM session s
  JOIN consumer c ON c.id = s.consumer_id
  LEFT JOIN identifier e ON e.consumer_id = c.id AND e.kind = 'email' AND NOT e.pending
  LEFT JOIN identifier pe ON pe.consumer_id = c.id AND pe.kind = 'email' AND pe.pending
  LEFT JOIN identifier p ON p.consumer_id = c.id AND p.kind = 'phone' AND NOT p.pending
  LEFT JOIN identifier pp ON pp.consumer_id = c.id AND pp.kind = 'phone' AND pp.pending
  LEFT JOIN credential k ON k.consumer_id = c.id
  WHERE s.id = $1 AND s.consumer_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3`;
const GUESS = `
  WITH account AS (
    SELECT i.consumer_id, c.password_hash, c.version
    FROM identifier i LEFT JOIN credential c ON c.consumer_id = i.consumer_id
    WHERE i.value = $1 AND i.kind = 'email' AND NOT i.pending),
  counted AS (
    INSERT INTO login_attempt AS known (key, failures, window_ends_at) VALUES ($2, 1, $4)
    ON CONFLICT (key) DO UPDATE SET
      failures = CASE WHEN known.window_ends_at <= $3 THEN 1 ELSE known.failures + 1 END,
      window_ends_at = CASE WHEN known.window_ends_at <= $3 THEN $4 ELSE known.window_ends_at END
    WHERE known.failures < $5 OR known.window_ends_at <= $3
    RETURNING key)
  SELECT account.* FROM account, counted`;
const OPEN = `
  WITH opened AS (
    INSERT INTO session (id, consumer_id, touchpoint_id, created_at, expires_at)
    SELECT $1, consumer_id, $2, $3, $4 FROM credential WHERE consumer_id = $5 AND version = $6 FOR SHARE
    RETURNING id),
  cleared AS (DELETE FROM login_attempt WHERE key = $11)
  INSERT INTO audit_event (id, occurred_at, type, outcome, actor, touchpoint, request_id, consumer_id, details, count)
  SELECT $7, $3, 'consumer.logged-in', 'done', 'touchpoint', $8, $9, $5, $10, 1 FROM opened RETURNING id`;

/**
 * @param {string} name
 * @param {string} text
 * @param {unknown[]} values
 */
const rowsOf = async (name, text, values) => (await pool.query({ name, text, values })).rows;

/** @type {Map<string, { readAt: number, row: Promise<any> }>} */
const touchpoints = new Map();
/** @param {import('node:http').IncomingMessage} request */
async function admitted({ headers }) {
  const code = String(headers['x-touchpoint-code']);
  let known = touchpoints.get(code);
  if (!known || performance.now() - known.readAt > TOUCHPOINT_MAX_AGE_MS) {
    known = { readAt: performance.now(), row: rowsOf('touchpoint', TOUCHPOINT, [code]).then(([row]) => row) };
    touchpoints.set(code, known);
  }
  const touchpoint = await known.row;
  const digest = createHash('sha256').update(String(headers['x-touchpoint-key'])).digest();
  return touchpoint?.enabled && timingSafeEqual(digest, touchpoint.digest) ? touchpoint : null;
}

const base64url = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const peppered = (/** @type {string} */ password) =>
  createHmac('sha384', pepper).update(password.normalize('NFKC')).digest('base64');
const signature = (/** @type {string} */ text) => createHmac('sha256', tokenKey).update(text).digest('base64url');

/** @param {object} claims */
function signed(claims) {
  const text = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${text}.${signature(text)}`;
}

/** @param {string | undefined} authorization */
function verified(authorization = '') {
  const token = authorization.slice('Bearer '.length);
  const end = token.lastIndexOf('.');
  const expected = Buffer.from(signature(token.slice(0, end)));
  const sent = Buffer.from(token.slice(end + 1));
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return null;
  const claims = JSON.parse(Buffer.from(token.slice(token.indexOf('.') + 1, end), 'base64url').toString());
  return claims.exp * 1000 > Date.now() ? claims : null;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function me(request, response) {
  const claims = verified(request.headers.authorization);
  const [row] = claims ? await rowsOf('profile', PROFILE, [claims.sid, claims.sub, new Date()]) : [];
  answer(response, row ? 200 : 401, row ?? {});
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {any} touchpoint
 */
async function login(request, response, touchpoint) {
  const { identifier, password } = await jsonOf(request);
  const key = createHmac('sha256', guessKey).update(identifier).digest();
  const now = new Date();
  const windowEnd = new Date(now.getTime() + GUESS_WINDOW_MS);
  const [account] = await rowsOf('guess', GUESS, [identifier, key, now, windowEnd, GUESSES]);
  if (!account) {
    answer(response, 401, {});
    return;
  }
  const hash = account.password_hash.slice(account.password_hash.indexOf('$'));
  if (!(await hashing.run({ secret: peppered(password), hash }))) {
    answer(response, 401, {});
    return;
  }
  const iat = Math.floor(Date.now() / 1000);
  const exp = iat + SESSION_SECONDS;
  const sid = randomUUID();
  const session = [
    sid,
    touchpoint.id,
    new Date(iat * 1000),
    new Date(exp * 1000),
    account.consumer_id,
    account.version,
  ];
  const audit = [randomUUID(), 'bench', randomUUID(), { sessionId: sid }];
  await rowsOf('open', OPEN, [...session, ...audit, key]);
  answer(response, 200, {
    customerId: account.consumer_id,
    token: signed({ sub: account.consumer_id, sid, iat, exp }),
  });
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {any} touchpoint
 */
async function register(request, response, touchpoint) {
  const person = await jsonOf(request);
  const hash = await hashing.run({ secret: peppered(person.password), cost: Number(BCRYPT_COST) });
  const iat = Math.floor(Date.now() / 1000);
  const exp = iat + SESSION_SECONDS;
  const ids = { sub: randomUUID(), sid: randomUUID() };
  await rowsOf('register', REGISTER, registrationValues({ person, hash, touchpoint, iat, exp, ...ids }));
  answer(response, 201, { customerId: ids.sub, token: signed({ ...ids, iat, exp }) });
}

const countries = Buffer.from(
  JSON.stringify(iso31661.map(({ alpha2: code, name }) => ({ code, name })).sort((a, b) => (a.code < b.code ? -1 : 1))),
);
const countriesTag = tagOf(countries);
const countriesHeaders = {
  ETag: countriesTag,
  'Cache-Control': 'public, max-age=86400',
  Vary: 'X-Touchpoint-Code, X-Touchpoint-Key, Accept-Language',
  'Content-Language': 'en',
};
const wholeHeaders = { ...countriesHeaders, 'Content-Type': JSON_TYPE, 'Content-Length': countries.length };

/** @type {Handler} */
function reference(request, response) {
  const isUnchanged = request.headers['if-none-match'] === countriesTag;
  if (isUnchanged) response.writeHead(304, { ...promised(), ...countriesHeaders }).end();
  else response.writeHead(200, { ...promised(), ...wholeHeaders }).end(countries);
}

/** @type {Record<string, Handler>} */
const routes = {
  'GET /api/v1/me': me,
  'POST /api/v1/login': login,
  'POST /api/v1/register': register,
  'GET /api/v1/reference/countries': reference,
};

const server = createServer((request, response) => {
  if (request.url === '/health/live') {
    answer(response, 200, {});
    return;
  }
  admitted(request)
    .then(async (touchpoint) => {
      const route = routes[`${request.method} ${request.url}`];
      if (touchpoint && route) await route(request, response, touchpoint);
      else answer(response, touchpoint ? 404 : 401, {});
    })
    .catch((/** @type {unknown} */ error) => {
      console.error(error);
      answer(response, 500, {});
    });
});
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
