import { resolve } from 'node:path';
import type { z } from 'zod';
import { EMBEDDED, environment, OFF } from './environment';
import type { MailSender } from './setting-values';
import { SettingsError } from './settings-error';

const DEVELOPMENT_CONSOLE_PORT = 3001;

export interface SmtpSettings {
  url: string;
  from: MailSender;
}

export interface SmsGatewaySettings {
  url: string;
  /** Signs the requests to the gateway. */
  secret: Buffer;
}

/** The company's OpenID Connect provider, with which operators sign in to the console. */
export interface ConsoleProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Which role each group has. */
  roles: [group: string, role: string][];
}
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
  /** For partner developers: never for consumers. */
  readonly isSandbox: boolean;
  readonly touchpointKeyPrefix: string;
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
  /** Whom a notice tells the consumer to contact; absent: "our customer service". */
  readonly supportContact: string | undefined;
  /** How long the audit trail is kept. */
  readonly auditRetentionDays: number;
  /** How long events can be read. */
  readonly eventRetentionDays: number;
  /** Absent: no metrics. */
  readonly metricsPort: number | undefined;
  /** Absent: no administration console. */
  readonly consolePort: number | undefined;
  /** The port is the default: if it is taken, the service runs without the console. */
  readonly isConsolePortProposed: boolean;
  /** The public address of the console, without a slash at its end; absent: that of its port on loopback. */
  readonly consoleUrl: string | undefined;
  /** Absent: operators sign in with one-time links only. */
  readonly consoleProvider: ConsoleProviderSettings | undefined;
  /** How far events may be pushed: over the internet, also to this machine, or also into private networks. */
  readonly webhookReach: 'internet' | 'loopback' | 'private';
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
    this.isSandbox = values.SANDBOX === 'true';
    this.touchpointKeyPrefix = this.isSandbox ? 'tpk_test_' : 'tpk_';
    this.jwtIssuer = values.JWT_ISSUER ?? (this.isSandbox ? 'consumer-service-sandbox' : 'consumer-service');
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
    this.eventRetentionDays = values.EVENT_RETENTION_DAYS;
    this.metricsPort = values.METRICS_PORT;
    const { CONSOLE_PORT: consolePort, CONSOLE_URL: consoleUrl } = values;
    const isProposed = consolePort === undefined && values.NODE_ENV === 'development';
    this.isConsolePortProposed = isProposed && values.PORT !== DEVELOPMENT_CONSOLE_PORT;
    if (this.isConsolePortProposed) this.consolePort = DEVELOPMENT_CONSOLE_PORT;
    else this.consolePort = consolePort === OFF ? undefined : consolePort;
    this.consoleUrl = consoleUrl === undefined ? undefined : new URL(consoleUrl).origin;
    this.consoleProvider = consoleProviderIn(values);
    const nearest = this.isProduction ? 'internet' : 'loopback';
    this.webhookReach = values.WEBHOOK_ALLOW_PRIVATE === 'true' ? 'private' : nearest;
    this.logLevel = values.LOG_LEVEL;
    this.shutdownGraceSeconds = values.SHUTDOWN_GRACE_SECONDS;
  }
}

function consoleProviderIn(values: z.infer<typeof environment>): ConsoleProviderSettings | undefined {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId, CONSOLE_OIDC_ROLES: roles } = values;
  const { CONSOLE_OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || !roles) return undefined;
  return { issuer, clientId, clientSecret, roles };
}
