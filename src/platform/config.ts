import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isSafeHttpAddress, SAFE_HTTP_ADDRESS } from './safe-address';
import { SettingsError } from './settings-error';

const wholeNumber = (min: number, max: number) =>
  z.string().transform((value, context) => {
    const number = /^\d+$/.test(value) ? Number(value) : NaN;
    if (number >= min && number <= max) return number;
    context.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}` });
    return z.NEVER;
  });

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The greatest `JWT_TTL_SECONDS`: no token ever lives longer. */
export const MAX_JWT_TTL_SECONDS = 86_400;

/** Who e-mail comes from. */
export interface MailSender {
  name: string;
  address: string;
}

export interface SmtpSettings {
  url: string;
  from: MailSender;
}

export interface SmsGatewaySettings {
  url: string;
  /** Signs the requests to the gateway. */
  secret: Buffer;
}

const SENDER_ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}$/;
const WEBHOOK_SECRET_BYTES = 24;

/** `ada@example.com`, or with a name, which may be quoted: `Ada <ada@example.com>`. */
function parseMailSender(value: string, context: z.RefinementCtx): MailSender {
  const [, quoted, name = '', inBrackets] = /^\s*(?:"([^"]*)"|([^"<>]*?))\s*<([^<>]*)>\s*$/.exec(value) ?? [];
  const address = inBrackets ?? value.trim();
  const sender = { name: quoted ?? name, address };
  if (SENDER_ADDRESS.test(address) && !/\p{C}/u.test(sender.name)) return sender;
  context.addIssue({ code: 'custom', message: 'must be an address, or Name <address>' });
  return z.NEVER;
}

/** Standard Webhooks: the secret's bytes in base64, after `whsec_`. */
function parseWebhookSecret(value: string, context: z.RefinementCtx): Buffer {
  const secret = Buffer.from(value.replace(/^whsec_/, ''), 'base64');
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value) && secret.length >= WEBHOOK_SECRET_BYTES) return secret;
  context.addIssue({ code: 'custom', message: `must be whsec_ and at least ${WEBHOOK_SECRET_BYTES} bytes in base64` });
  return z.NEVER;
}

const MAX_CONTACT_LENGTH = 60;

/** Stands in a notice, where six digits would look like a code. */
function parseSupportContact(value: string, context: z.RefinementCtx): string {
  const contact = value.trim();
  if (contact !== '' && contact.length <= MAX_CONTACT_LENGTH && !/\p{C}|[0-9]{6}/u.test(contact)) return contact;
  const message = `must be one line of at most ${MAX_CONTACT_LENGTH} characters, without six digits in a row`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** As `DATABASE_URL`: the database in `DATA_DIR`. */
const EMBEDDED = 'embedded';

/** As `CONSOLE_PORT`. */
const OFF = 'off';
const DEVELOPMENT_CONSOLE_PORT = 3001;

const environment = z
  .object({
    // Anything else would be a misspelt `production` that runs without its safeguards.
    NODE_ENV: z
      .enum(['production', 'development', 'test'], 'must be production, development or test')
      .default('development'),
    HOST: z.string().default('127.0.0.1'),
    PORT: wholeNumber(0, 65_535).default(3000),
    DATABASE_URL: z
      .url({ protocol: /^postgres(ql)?$/, error: `must be a postgres:// address, or ${EMBEDDED}` })
      .or(z.literal(EMBEDDED))
      .optional(),
    DATA_DIR: z.string().default('./data'),
    REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// address' }).optional(),
    APP_SECRET: z
      .string()
      .transform((list) => list.split(',').map((secret) => secret.trim()))
      .refine((secrets) => secrets.every((secret) => secret.length >= 32), 'each secret needs at least 32 characters')
      .optional(),
    JWT_KEYS_FILE: z.string().optional(),
    JWT_ISSUER: z.string().default('consumer-service'),
    JWT_TTL_SECONDS: wholeNumber(60, MAX_JWT_TTL_SECONDS).default(1800),
    PASSWORD_MIN_LENGTH: wholeNumber(8, 64).default(8),
    BCRYPT_COST: wholeNumber(4, 16).default(12),
    HASH_WORKERS: wholeNumber(1, 256).default(availableParallelism()),
    HASH_QUEUE_LIMIT: wholeNumber(1, 100_000).default(64),
    RATE_LIMIT_BURST: wholeNumber(0, 1_000_000_000).default(100),
    RATE_LIMIT_SUSTAINED: wholeNumber(0, 1_000_000_000).default(3000),
    SMTP_URL: z
      .url({ protocol: /^smtps?$/, hostname: /./, error: 'must be an smtp:// or smtps:// address' })
      .optional(),
    MAIL_FROM: z.string().transform(parseMailSender).optional(),
    SMS_GATEWAY_URL: z.string().refine(isSafeHttpAddress, SAFE_HTTP_ADDRESS).optional(),
    SMS_GATEWAY_SECRET: z.string().transform(parseWebhookSecret).optional(),
    SMS_DAILY_LIMIT: wholeNumber(0, 1_000_000_000).default(5000),
    SUPPORT_CONTACT: z.string().transform(parseSupportContact).optional(),
    AUDIT_RETENTION_DAYS: wholeNumber(1, 36_500).default(400),
    METRICS_PORT: wholeNumber(0, 65_535).optional(),
    CONSOLE_PORT: z
      .union([z.literal(OFF), wholeNumber(0, 65_535)], `must be a whole number from 0 to 65535, or ${OFF}`)
      .optional(),
    CONSOLE_URL: z
      .string()
      .refine(isSafeHttpAddress, SAFE_HTTP_ADDRESS)
      .refine((url) => URL.parse(url)?.pathname === '/', 'must be an address without a path')
      .optional(),
    LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    SHUTDOWN_GRACE_SECONDS: wholeNumber(1, 3600).default(15),
  })
  .superRefine((values, context) => {
    if (values.SMTP_URL !== undefined && values.MAIL_FROM === undefined) {
      context.addIssue({ code: 'custom', path: ['MAIL_FROM'], message: 'is required with SMTP_URL' });
    }
    if (values.SMS_GATEWAY_URL !== undefined && values.SMS_GATEWAY_SECRET === undefined) {
      context.addIssue({ code: 'custom', path: ['SMS_GATEWAY_SECRET'], message: 'is required with SMS_GATEWAY_URL' });
    }
    if (values.METRICS_PORT === values.PORT && values.PORT !== 0) {
      context.addIssue({ code: 'custom', path: ['METRICS_PORT'], message: 'must not be the same as PORT' });
    }
    if (typeof values.CONSOLE_PORT === 'number' && values.CONSOLE_PORT === values.PORT && values.PORT !== 0) {
      context.addIssue({ code: 'custom', path: ['CONSOLE_PORT'], message: 'must not be the same as PORT' });
    }
    if (values.NODE_ENV !== 'production') return;
    if (typeof values.CONSOLE_PORT === 'number' && values.CONSOLE_URL === undefined) {
      context.addIssue({ code: 'custom', path: ['CONSOLE_URL'], message: 'is required with CONSOLE_PORT' });
    }
    for (const name of ['APP_SECRET', 'JWT_KEYS_FILE'] as const) {
      if (values[name] === undefined) {
        context.addIssue({ code: 'custom', path: [name], message: 'is required with NODE_ENV=production' });
      }
    }
    // Otherwise a forgotten setting would start the service on an empty database.
    if (values.DATABASE_URL === undefined) {
      const message = `is required with NODE_ENV=production: a postgres:// address, or ${EMBEDDED}`;
      context.addIssue({ code: 'custom', path: ['DATABASE_URL'], message });
    }
    if (values.BCRYPT_COST < 10) {
      context.addIssue({ code: 'custom', path: ['BCRYPT_COST'], message: 'must be at least 10 in production' });
    }
  });

/** The service's settings, read from the environment once, at start; an empty variable counts as absent. */
export class AppConfig {
  readonly isProduction: boolean;
  readonly host: string;
  readonly port: number;
  /** Absent: the embedded database in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Absent: limits are counted in memory. */
  readonly redisUrl: string | undefined;
  /** The first makes new values, all are accepted; absent: generated in `dataDir`. */
  readonly appSecrets: string[] | undefined;
  /** A private JWK Set; absent: generated in `dataDir`. */
  readonly jwtKeysFile: string | undefined;
  readonly jwtIssuer: string;
  readonly jwtTtlSeconds: number;
  readonly passwordMinLength: number;
  readonly bcryptCost: number;
  readonly hashWorkers: number;
  readonly hashQueueLimit: number;
  /** Requests a second for one touchpoint; 0 is unlimited. */
  readonly rateLimitBurst: number;
  /** Requests a minute for one touchpoint; 0 is unlimited. */
  readonly rateLimitSustained: number;
  /** Absent: e-mail goes to the development mailbox in `dataDir`. */
  readonly smtp: SmtpSettings | undefined;
  /** Absent: text messages go to the development mailbox in `dataDir`. */
  readonly smsGateway: SmsGatewaySettings | undefined;
  /** SMS a day for one touchpoint; 0 is unlimited. */
  readonly smsDailyLimit: number;
  /** Whom a notice tells the consumer to turn to; absent: customer service, without saying how. */
  readonly supportContact: string | undefined;
  /** How long the audit trail is kept. */
  readonly auditRetentionDays: number;
  /** Absent: no metrics. */
  readonly metricsPort: number | undefined;
  /** Absent: no administration console. */
  readonly consolePort: number | undefined;
  /** Nobody has asked for this port: if it is taken, the service goes on without the console. */
  readonly isConsolePortProposed: boolean;
  /** The public address of the console, without a slash at its end; absent: that of its port on loopback. */
  readonly consoleUrl: string | undefined;
  readonly logLevel: string;
  readonly shutdownGraceSeconds: number;

  constructor(env: NodeJS.ProcessEnv) {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
    const { success, data: values, error } = environment.safeParse(given);
    if (!success) {
      throw new SettingsError(error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
    }
    this.isProduction = values.NODE_ENV === 'production';
    this.host = values.HOST;
    this.port = values.PORT;
    this.databaseUrl = values.DATABASE_URL === EMBEDDED ? undefined : values.DATABASE_URL;
    this.dataDir = resolve(values.DATA_DIR);
    this.redisUrl = values.REDIS_URL;
    this.appSecrets = values.APP_SECRET;
    this.jwtKeysFile = values.JWT_KEYS_FILE;
    this.jwtIssuer = values.JWT_ISSUER;
    this.jwtTtlSeconds = values.JWT_TTL_SECONDS;
    this.passwordMinLength = values.PASSWORD_MIN_LENGTH;
    this.bcryptCost = values.BCRYPT_COST;
    this.hashWorkers = values.HASH_WORKERS;
    this.hashQueueLimit = values.HASH_QUEUE_LIMIT;
    this.rateLimitBurst = values.RATE_LIMIT_BURST;
    this.rateLimitSustained = values.RATE_LIMIT_SUSTAINED;
    const { SMTP_URL: smtpUrl, MAIL_FROM: from, SMS_GATEWAY_URL: gatewayUrl, SMS_GATEWAY_SECRET: secret } = values;
    this.smtp = smtpUrl !== undefined && from ? { url: smtpUrl, from } : undefined;
    this.smsGateway = gatewayUrl !== undefined && secret ? { url: gatewayUrl, secret } : undefined;
    this.smsDailyLimit = values.SMS_DAILY_LIMIT;
    this.supportContact = values.SUPPORT_CONTACT;
    this.auditRetentionDays = values.AUDIT_RETENTION_DAYS;
    this.metricsPort = values.METRICS_PORT;
    const { CONSOLE_PORT: consolePort, CONSOLE_URL: consoleUrl } = values;
    const isProposed = consolePort === undefined && values.NODE_ENV === 'development';
    this.isConsolePortProposed = isProposed && values.PORT !== DEVELOPMENT_CONSOLE_PORT;
    if (this.isConsolePortProposed) this.consolePort = DEVELOPMENT_CONSOLE_PORT;
    else this.consolePort = consolePort === OFF ? undefined : consolePort;
    this.consoleUrl = consoleUrl === undefined ? undefined : new URL(consoleUrl).origin;
    this.logLevel = values.LOG_LEVEL;
    this.shutdownGraceSeconds = values.SHUTDOWN_GRACE_SECONDS;
  }
}
