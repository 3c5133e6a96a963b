import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { isRedisAddress, REDIS_ADDRESS } from '../redis/redis-sentinel';
import { isSafeHttpAddress, SAFE_HTTP_ADDRESS } from '../values/safe-address';
import {
  parseGroupRoles,
  parseMailSender,
  parseSupportContact,
  parseWebhookSecret,
  wholeNumber,
} from './setting-values';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The greatest `JWT_TTL_SECONDS`: no token ever lives longer. */
export const MAX_JWT_TTL_SECONDS = 86_400;

/** All of them or none. */
const CONSOLE_PROVIDER_SETTINGS = [
  'CONSOLE_OIDC_ISSUER',
  'CONSOLE_OIDC_CLIENT_ID',
  'CONSOLE_OIDC_CLIENT_SECRET',
  'CONSOLE_OIDC_ROLES',
] as const;

/** As `DATABASE_URL`: the database in `DATA_DIR`. */
export const EMBEDDED = 'embedded';

/** As `CONSOLE_PORT`. */
export const OFF = 'off';

const flag = z.enum(['true', 'false'], 'must be true or false').default('false');

/** The environment variables that are settings: their forms, and which of them go together. */
export const environment = z
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
    REDIS_URL: z.string().refine(isRedisAddress, REDIS_ADDRESS).optional(),
    APP_SECRET: z
      .string()
      .transform((list) => list.split(',').map((secret) => secret.trim()))
      .refine((secrets) => secrets.every((secret) => secret.length >= 32), 'each secret needs at least 32 characters')
      .optional(),
    JWT_KEYS_FILE: z.string().optional(),
    JWT_ISSUER: z.string().optional(),
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
    EVENT_RETENTION_DAYS: wholeNumber(1, 3650).default(30),
    METRICS_PORT: wholeNumber(0, 65_535).optional(),
    CONSOLE_PORT: z
      .union([z.literal(OFF), wholeNumber(1, 65_535)], `must be a whole number from 1 to 65535, or ${OFF}`)
      .optional(),
    CONSOLE_URL: z
      .string()
      .refine(isSafeHttpAddress, SAFE_HTTP_ADDRESS)
      .refine((url) => URL.parse(url)?.pathname === '/', 'must be an address without a path')
      .optional(),
    CONSOLE_OIDC_ISSUER: z.string().refine(isSafeHttpAddress, SAFE_HTTP_ADDRESS).optional(),
    CONSOLE_OIDC_CLIENT_ID: z.string().optional(),
    CONSOLE_OIDC_CLIENT_SECRET: z.string().optional(),
    CONSOLE_OIDC_ROLES: z.string().transform(parseGroupRoles).optional(),
    SANDBOX: flag,
    WEBHOOK_ALLOW_PRIVATE: flag,
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
    if (typeof values.CONSOLE_PORT === 'number' && values.CONSOLE_PORT === values.PORT) {
      context.addIssue({ code: 'custom', path: ['CONSOLE_PORT'], message: 'must not be the same as PORT' });
    }
    if (values.SANDBOX === 'true' && values.JWT_ISSUER !== undefined) {
      const message = 'must not be set with SANDBOX=true, whose tokens have an issuer of their own';
      context.addIssue({ code: 'custom', path: ['JWT_ISSUER'], message });
    }
    const provider = CONSOLE_PROVIDER_SETTINGS.filter((name) => values[name] !== undefined);
    if (provider.length > 0) {
      for (const name of CONSOLE_PROVIDER_SETTINGS.filter((each) => !provider.includes(each))) {
        context.addIssue({ code: 'custom', path: [name], message: `is required with ${provider[0] ?? ''}` });
      }
    }
    if (values.NODE_ENV !== 'production') return;
    if (values.SANDBOX === 'true') {
      context.addIssue({ code: 'custom', path: ['SANDBOX'], message: 'must not be true with NODE_ENV=production' });
    }
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
