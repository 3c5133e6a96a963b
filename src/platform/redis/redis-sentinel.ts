import type { RedisOptions } from 'ioredis';

/** The user, the password and the name are percent-encoded, as in any URL. */
const ADDRESS = /^(rediss?)\+sentinel:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]+)\/([^/?#]+)(?:\/(\d{1,5}))?$/;
const DEFAULT_PORT = 26_379;

/**
 * How to reach the primary that Sentinels name: `redis+sentinel://[user:password@]host:port,host:port/NAME[/database]`,
 * or `rediss+sentinel://` with TLS to all of them. The user and password are those of Redis. Null: no such address.
 */
export function sentinelOptions(text: string): RedisOptions | null {
  const [, scheme, user = '', password = '', hosts = '', name = '', database = '0'] = ADDRESS.exec(text) ?? [];
  const sentinels = hosts.split(',').map(parseHost);
  if (scheme === undefined || !sentinels.every((sentinel) => sentinel !== null)) return null;
  try {
    return {
      ...{ sentinels, name: decodeURIComponent(name), db: Number(database) },
      ...(user !== '' && { username: decodeURIComponent(user) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(scheme === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    };
  } catch {
    // A percent sign that encodes nothing.
    return null;
  }
}

/** What to say about an address that `isRedisAddress` refuses. */
export const REDIS_ADDRESS = 'must be a redis:// address, or redis+sentinel://host:port,host:port/NAME';

/** Whether it is one that the client understands: of one Redis, or of Sentinels. */
export const isRedisAddress = (text: string): boolean =>
  (/^rediss?:\/\//.test(text) && URL.canParse(text)) || sentinelOptions(text) !== null;

/** An IPv6 address is in brackets. */
function parseHost(text: string): { host: string; port: number } | null {
  const [, inBrackets, name, port = String(DEFAULT_PORT)] =
    /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = inBrackets ?? name;
  return host !== undefined && Number(port) > 0 && Number(port) <= 65_535 ? { host, port: Number(port) } : null;
}
