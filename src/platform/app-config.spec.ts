import { AppConfig, SettingsError } from './app-config';

const PRODUCTION = {
  NODE_ENV: 'production',
  APP_SECRET: 's'.repeat(32),
  JWT_KEYS_FILE: '/run/secrets/jwt-keys.json',
};

/** The settings that are refused. */
function refused(env: NodeJS.ProcessEnv): string[] {
  try {
    new AppConfig(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.lines.map((line) => line.split(':', 1)[0] ?? '').toSorted();
    throw error;
  }
  return [];
}

describe('the settings', () => {
  it('have the documented limits when nothing is said', () => {
    expect(new AppConfig({})).toMatchObject({
      ...{ rateLimitBurst: 100, rateLimitSustained: 3000, hashQueueLimit: 64, bcryptCost: 12 },
      ...{ jwtTtlSeconds: 1800, passwordMinLength: 8, shutdownGraceSeconds: 15, auditRetentionDays: 400 },
    });
  });

  it('need secrets of their own in production, and a hash that costs something', () => {
    expect(refused(PRODUCTION)).toEqual([]);
    expect(refused({ NODE_ENV: 'production' })).toEqual(['APP_SECRET', 'JWT_KEYS_FILE']);
    expect(refused({ ...PRODUCTION, BCRYPT_COST: '9' })).toEqual(['BCRYPT_COST']);
    expect(refused({ ...PRODUCTION, BCRYPT_COST: '10' })).toEqual([]);
  });

  it.each(['', 's'.repeat(31), `${'s'.repeat(32)},short`])('refuse the secret %j in production', (secret) => {
    expect(refused({ ...PRODUCTION, APP_SECRET: secret })).toEqual(['APP_SECRET']);
  });

  it('tell every wrong value at once', () => {
    expect(refused({ PORT: 'x', BCRYPT_COST: '3', LOG_LEVEL: 'loud' })).toEqual(['BCRYPT_COST', 'LOG_LEVEL', 'PORT']);
  });
});
