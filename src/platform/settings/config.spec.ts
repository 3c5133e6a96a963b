import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppConfig } from './config';
import { SettingsError } from './settings-error';

const PRODUCTION = {
  NODE_ENV: 'production',
  APP_SECRET: 's'.repeat(32),
  JWT_KEYS_FILE: '/run/secrets/jwt-keys.json',
  DATABASE_URL: 'postgres://user@database/consumers',
};

/** What is said of the settings. */
function complaints(env: NodeJS.ProcessEnv): string[] {
  try {
    new AppConfig(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

/** The settings that are refused. */
const refused = (env: NodeJS.ProcessEnv): string[] =>
  complaints(env)
    .map((line) => line.split(':', 1)[0] ?? '')
    .toSorted();

/** Settings that take any text. */
const FREE = [
  'HOST',
  'DATA_DIR',
  'JWT_KEYS_FILE',
  'JWT_ISSUER',
  'CONSOLE_OIDC_CLIENT_ID',
  'CONSOLE_OIDC_CLIENT_SECRET',
];

const WRONG: [name: string, value: string, complaint: string][] = [
  ['PORT', 'x', 'must be a whole number from 0 to 65535'],
  ['PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['DATABASE_URL', 'mysql://127.0.0.1/consumers', 'must be a postgres:// address, or embedded'],
  ['DATABASE_URL', 'consumers', 'must be a postgres:// address, or embedded'],
  ['REDIS_URL', 'http://127.0.0.1', 'must be a redis:// address, or redis+sentinel://host:port,host:port/NAME'],
  ['REDIS_URL', 'redis+sentinel://a:1', 'must be a redis:// address, or redis+sentinel://host:port,host:port/NAME'],
  ['APP_SECRET', 'short', 'each secret needs at least 32 characters'],
  ['JWT_TTL_SECONDS', '59', 'must be a whole number from 60 to 86400'],
  ['PASSWORD_MIN_LENGTH', '7', 'must be a whole number from 8 to 64'],
  ['BCRYPT_COST', '17', 'must be a whole number from 4 to 16'],
  ['HASH_WORKERS', '0', 'must be a whole number from 1 to 256'],
  ['HASH_QUEUE_LIMIT', '1.5', 'must be a whole number from 1 to 100000'],
  ['RATE_LIMIT_BURST', '-1', 'must be a whole number from 0 to 1000000000'],
  ['RATE_LIMIT_SUSTAINED', '1e3', 'must be a whole number from 0 to 1000000000'],
  ['SMS_DAILY_LIMIT', 'none', 'must be a whole number from 0 to 1000000000'],
  ...['two\nlines', 'call +12025550123', 'x'.repeat(61), '  '].map((contact): [string, string, string] => [
    'SUPPORT_CONTACT',
    contact,
    'must be one line of at most 60 characters, without six digits in a row',
  ]),
  ['SMTP_URL', 'mail.example.com', 'must be an smtp:// or smtps:// address'],
  ['MAIL_FROM', 'nobody', 'must be an address, or Name <address>'],
  ['SMS_GATEWAY_URL', 'sms.example.com', 'must be an https:// address without credentials, or http:// on loopback'],
  ['SMTP_URL', 'http://mail', 'must be an smtp:// or smtps:// address'],
  ['SMS_GATEWAY_URL', 'ftp://sms', 'must be an https:// address without credentials, or http:// on loopback'],
  ['SMS_GATEWAY_SECRET', 'whsec_c2hvcnQ=', 'must be whsec_ and at least 24 bytes in base64'],
  ['AUDIT_RETENTION_DAYS', ' 7', 'must be a whole number from 1 to 36500'],
  ['EVENT_RETENTION_DAYS', '0', 'must be a whole number from 1 to 3650'],
  ['METRICS_PORT', '0x10', 'must be a whole number from 0 to 65535'],
  ['CONSOLE_PORT', 'on', 'must be a whole number from 1 to 65535, or off'],
  ['CONSOLE_PORT', '0', 'must be a whole number from 1 to 65535, or off'],
  [
    'CONSOLE_URL',
    'http://console.example.com',
    'must be an https:// address without credentials, or http:// on loopback',
  ],
  ['CONSOLE_URL', 'https://example.com/console', 'must be an address without a path'],
  [
    'CONSOLE_OIDC_ISSUER',
    'http://login.example.com',
    'must be an https:// address without credentials, or http:// on loopback',
  ],
  ['CONSOLE_OIDC_ROLES', 'admins', 'must be group=ROLE,… where a role is AUDITOR, SUPPORT, OPERATOR or ADMIN'],
  ['CONSOLE_OIDC_ROLES', 'admins=ROOT', 'must be group=ROLE,… where a role is AUDITOR, SUPPORT, OPERATOR or ADMIN'],
  ['WEBHOOK_ALLOW_PRIVATE', 'yes', 'must be true or false'],
  ['SANDBOX', 'yes', 'must be true or false'],
  ['LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
  ['SHUTDOWN_GRACE_SECONDS', 'true', 'must be a whole number from 1 to 3600'],
];

describe('the settings', () => {
  it('have the documented limits when nothing is said', () => {
    expect(new AppConfig({})).toMatchObject({
      ...{ rateLimitBurst: 100, rateLimitSustained: 3000, hashQueueLimit: 64, bcryptCost: 12 },
      ...{ jwtTtlSeconds: 1800, passwordMinLength: 8, shutdownGraceSeconds: 15, auditRetentionDays: 400 },
    });
  });

  it('need secrets of their own in production, and a hash that costs something', () => {
    expect(refused(PRODUCTION)).toEqual([]);
    expect(refused({ NODE_ENV: 'production' })).toEqual(['APP_SECRET', 'DATABASE_URL', 'JWT_KEYS_FILE']);
    expect(refused({ ...PRODUCTION, BCRYPT_COST: '9' })).toEqual(['BCRYPT_COST']);
    expect(refused({ ...PRODUCTION, BCRYPT_COST: '10' })).toEqual([]);
  });

  it('make a sandbox, which is no production and says so in what it hands out', () => {
    expect(refused({ ...PRODUCTION, SANDBOX: 'true' })).toEqual(['SANDBOX']);
    expect(refused({ SANDBOX: 'true', JWT_ISSUER: 'consumer-service' })).toEqual(['JWT_ISSUER']);
    const { isSandbox, touchpointKeyPrefix, jwtIssuer } = new AppConfig({ SANDBOX: 'true' });
    expect([isSandbox, touchpointKeyPrefix, jwtIssuer]).toEqual([true, 'tpk_test_', 'consumer-service-sandbox']);
    expect(new AppConfig({ SANDBOX: 'false' })).toMatchObject({ isSandbox: false, touchpointKeyPrefix: 'tpk_' });
  });

  it('let webhooks reach this machine in development, and private networks only when told to', () => {
    expect(new AppConfig(PRODUCTION).webhookReach).toBe('internet');
    expect(new AppConfig({}).webhookReach).toBe('loopback');
    expect(new AppConfig({ ...PRODUCTION, WEBHOOK_ALLOW_PRIVATE: 'true' }).webhookReach).toBe('private');
  });

  it.each(['prod', 'PRODUCTION', 'staging'])(
    'refuse %s, which would run without what production asks for',
    (NODE_ENV) => {
      expect(refused({ ...PRODUCTION, NODE_ENV })).toEqual(['NODE_ENV']);
    },
  );

  it.each(['', 's'.repeat(31), `${'s'.repeat(32)},short`])('refuse the secret %j in production', (secret) => {
    expect(refused({ ...PRODUCTION, APP_SECRET: secret })).toEqual(['APP_SECRET']);
  });

  it.each([undefined, ''])('do not take DATABASE_URL=%j for the embedded database in production', (url) => {
    expect(refused({ ...PRODUCTION, DATABASE_URL: url })).toEqual(['DATABASE_URL']);
    expect(new AppConfig({ DATABASE_URL: url }).databaseUrl).toBeUndefined();
  });

  it('take the embedded database by its name, in production and elsewhere', () => {
    expect(new AppConfig({ ...PRODUCTION, DATABASE_URL: 'embedded' }).databaseUrl).toBeUndefined();
    expect(new AppConfig({ DATABASE_URL: 'embedded' }).databaseUrl).toBeUndefined();
    expect(refused({ DATABASE_URL: 'Embedded' })).toEqual(['DATABASE_URL']);
    expect(refused({ DATABASE_URL: 'mysql://database' })).toEqual(['DATABASE_URL']);
  });

  it('keep the metrics off the port of the service', () => {
    expect(complaints({ PORT: '3000', METRICS_PORT: '3000' })).toEqual(['METRICS_PORT: must not be the same as PORT']);
    expect(new AppConfig({ PORT: '3000', METRICS_PORT: '9464' }).metricsPort).toBe(9464);
    expect(new AppConfig({ METRICS_PORT: '' }).metricsPort).toBeUndefined();
  });

  it('have the console on in development, and off elsewhere until it is set', () => {
    const portOf = (env: NodeJS.ProcessEnv) => new AppConfig(env).consolePort;
    expect([portOf({}), portOf({ CONSOLE_PORT: 'off' }), portOf({ CONSOLE_PORT: '3100' })]).toEqual([
      3001,
      undefined,
      3100,
    ]);
    expect([portOf({ NODE_ENV: 'test' }), portOf({ PORT: '3001' })]).toEqual([undefined, undefined]);
    expect(complaints({ PORT: '3001', CONSOLE_PORT: '3001' })).toEqual(['CONSOLE_PORT: must not be the same as PORT']);
    expect(refused({ NODE_ENV: 'production', CONSOLE_PORT: '3001' })).toContain('CONSOLE_URL');
    expect(refused({ NODE_ENV: 'production' })).not.toContain('CONSOLE_URL');
    expect(new AppConfig({ CONSOLE_URL: 'https://console.example.com/' }).consoleUrl).toBe(
      'https://console.example.com',
    );
  });

  it('take the provider of the console whole or not at all', () => {
    const settings = {
      CONSOLE_OIDC_ISSUER: 'https://login.example.com/realms/staff',
      CONSOLE_OIDC_CLIENT_ID: 'console',
      CONSOLE_OIDC_CLIENT_SECRET: 'secret',
      CONSOLE_OIDC_ROLES: 'ou=desk=SUPPORT, admins=ADMIN',
    };
    expect(new AppConfig({}).consoleProvider).toBeUndefined();
    expect(new AppConfig(settings).consoleProvider?.roles).toEqual([
      ['ou=desk', 'SUPPORT'],
      ['admins', 'ADMIN'],
    ]);
    for (const name of Object.keys(settings)) {
      expect(refused({ ...settings, [name]: '' })).toEqual([name]);
    }
  });

  it('tell every wrong value at once', () => {
    expect(refused({ PORT: 'x', BCRYPT_COST: '3', LOG_LEVEL: 'loud' })).toEqual(['BCRYPT_COST', 'LOG_LEVEL', 'PORT']);
  });

  it.each(WRONG)('say in our own words what is wrong with %s=%s', (name, value, complaint) => {
    expect(complaints({ [name]: value })).toContain(`${name}: ${complaint}`);
  });

  it.each([
    [{ SMTP_URL: 'smtp://mail' }, ['MAIL_FROM: is required with SMTP_URL']],
    [{ MAIL_FROM: 'Ada <ada@b' }, ['MAIL_FROM: must be an address, or Name <address>']],
    [{ MAIL_FROM: 'a@b.c, d@e.f' }, ['MAIL_FROM: must be an address, or Name <address>']],
    [{ SMS_GATEWAY_URL: 'https://sms' }, ['SMS_GATEWAY_SECRET: is required with SMS_GATEWAY_URL']],
    [{ SMTP_URL: 'smtps://u:p@mail:465', MAIL_FROM: '"Ada, Inc." <ada@example.com>' }, []],
    [{ SMS_GATEWAY_URL: 'https://sms', SMS_GATEWAY_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}` }, []],
  ])('of messages that are %j bring these complaints: %j', (env, lines) => {
    expect(complaints(env as Record<string, string>)).toEqual(lines);
  });

  it('are all documented, and each has such words', () => {
    const page = readFileSync(join(__dirname, '../../../docs/operate/settings.md'), 'utf8');
    const names = [...page.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = '']) => cell.match(/[A-Z_]+/g) ?? []);
    expect(names.length).toBeGreaterThan(20);
    const judged = new Set(WRONG.map(([name]) => name));
    expect(names.filter((name) => !judged.has(name) && !FREE.includes(name))).toEqual([]);
    expect([...judged, ...FREE].filter((name) => !names.includes(name))).toEqual([]);
  });
});
