import { Client } from 'pg';
import type { Answer, ApiClient } from '../api/api-client';
import { PASSWORD, type SessionBody } from '../api/consumers';
import type { Account } from './load';

const AT_ONCE = 8;

/** What must never be found, whatever has broken: each statement answers how often it was. */
const BROKEN = {
  'a consumer without a credential': `
    SELECT count(*) FROM consumer c WHERE NOT EXISTS (SELECT FROM credential WHERE consumer_id = c.id)
      AND NOT EXISTS (SELECT FROM identifier WHERE consumer_id = c.id AND verified_at IS NOT NULL)`,
  'a consumer without an identifier': `
    SELECT count(*) FROM consumer c WHERE NOT EXISTS (SELECT FROM identifier WHERE consumer_id = c.id AND NOT pending)`,
  'a consumer without its event in the trail': `
    SELECT count(*) FROM consumer c WHERE NOT EXISTS
      (SELECT FROM audit_event WHERE consumer_id = c.id AND type = 'consumer.registered')`,
  'an identifier without a consumer': `
    SELECT count(*) FROM identifier i WHERE NOT EXISTS (SELECT FROM consumer WHERE id = i.consumer_id)`,
  'an identifier that two consumers have': `
    SELECT count(*) FROM (SELECT FROM identifier WHERE NOT pending GROUP BY kind, value HAVING count(*) > 1) twice`,
  'a session without a consumer': `
    SELECT count(*) FROM session s WHERE NOT EXISTS (SELECT FROM consumer WHERE id = s.consumer_id)`,
  'an outcome kept for a consumer who is not there': `
    SELECT count(*) FROM idempotency_record r WHERE consumer_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM consumer WHERE id = r.consumer_id)`,
};

/** What was promised to somebody by a message. */
export interface PromisedMessages {
  /** To whom a message was promised by an answer. */
  promised: string[];
  /** To whom one was delivered, as often as it was. */
  delivered: string[];
}

/** What the database holds and must not, by what it is. */
export async function brokenRows(databaseUrl: string): Promise<string[]> {
  const client = await connected(databaseUrl);
  const found: string[] = [];
  for (const [what, statement] of Object.entries(BROKEN)) {
    const { rows } = await client.query<{ count: string }>(statement);
    if (rows[0]?.count !== '0') found.push(`${rows[0]?.count} times ${what}`);
  }
  await client.end();
  return found;
}

/** Of what was acknowledged, what is not true any more: every account logs in, has its profile and its sessions. */
export async function lostAcknowledgements(client: ApiClient, accounts: Account[]): Promise<string[]> {
  const lost: string[] = [];
  for (let at = 0; at < accounts.length; at += AT_ONCE) {
    const found = await Promise.all(accounts.slice(at, at + AT_ONCE).map((account) => lostOf(client, account)));
    lost.push(...found.flat());
  }
  return lost;
}

async function lostOf(client: ApiClient, account: Account): Promise<string[]> {
  const { email, token } = account;
  const lost: string[] = [];
  const login: Answer<SessionBody> = await client.post('/api/v1/login', { identifier: email, password: PASSWORD });
  if (login.status !== 200 || login.body.customerId !== account.customerId) {
    return [`the account of ${email}: ${login.status} ${JSON.stringify(login.body)}`];
  }
  const me = await client.as(login.body.token).get<{ firstName: string }>('/api/v1/me');
  if (!account.firstNames.includes(me.body.firstName)) lost.push(`a change of the profile of ${email}`);
  if (account.loggedOut !== null) {
    const { status } = await client.as(token).get('/api/v1/me');
    const expected = account.loggedOut ? 401 : 200;
    if (status !== expected) lost.push(`the ${account.loggedOut ? 'logout' : 'session'} of ${email}: ${status}`);
  }
  return lost;
}

/** Promised and not delivered, or delivered although what it tells of was rolled back. */
export async function wrongMessages(
  databaseUrl: string,
  { promised, delivered }: PromisedMessages,
): Promise<{ lost: string[]; unfounded: string[]; repeated: number }> {
  const client = await connected(databaseUrl);
  const { rows } = await client.query<{ destination: string }>('SELECT destination FROM challenge');
  await client.end();
  const founded = new Set(rows.map(({ destination }) => destination));
  return {
    lost: promised.filter((address) => !delivered.includes(address)),
    unfounded: delivered.filter((address) => !founded.has(address)),
    repeated: delivered.length - new Set(delivered).size,
  };
}

/** The database of a service process that has an embedded one. */
export const embeddedUrl = (dataDir: string): string =>
  `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(`${dataDir}/socket`)}`;

async function connected(databaseUrl: string): Promise<Client> {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host');
  const client =
    host === null
      ? new Client({ connectionString: databaseUrl })
      : new Client({ host, port: Number(url.port), user: 'postgres', database: 'postgres' });
  await client.connect();
  return client;
}
