import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Origin } from '../../audit/origin';
import { ApiError } from '../../platform/errors/api-error';
import { LOGGER } from '../../platform/logger';
import type { Touchpoint } from '../../touchpoints/touchpoint.entity';
import type { Account } from './accounts.service';
import { CredentialsService } from '../passwords/credentials.service';
import { LoginAttempts } from './login-attempts';
import type { LoginDto } from './login.dto';
import { parseLoginIdentifier } from '../identifiers/login-identifier';
import { PasswordHasher } from '../passwords/password-hasher';
import type { SessionDto } from '../sessions/session.dto';
import { SessionsService } from '../sessions/sessions.service';

/** Logs consumers in by password. Every failure does the same work and gets the same answer. */
@Injectable()
export class LoginService {
  constructor(
    private readonly attempts: LoginAttempts,
    private readonly credentials: CredentialsService,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async login(
    touchpoint: Touchpoint,
    { identifier, password }: LoginDto,
    address: string | null,
    origin: Origin,
  ): Promise<SessionDto> {
    const parsed = parseLoginIdentifier(identifier);
    const { account, matches, outdated, session } = await this.attempts.guess(
      { identifier: parsed, otherIdentifiers: [], touchpointId: touchpoint.id, address },
      async (settlement, found) => {
        const verification = await this.hasher.verify(touchpoint.code, password, found?.passwordHash ?? null);
        const tried = { ...verification, account: found };
        if (!verification.matches || !hasPassword(found)) return { ...tried, matches: false, session: null };
        const login = { ...found, address, settlement };
        return { ...tried, session: await this.sessions.issueForPassword(login, touchpoint, origin) };
      },
    );
    if (!matches || !hasPassword(account)) throw refusal(account);
    const { consumerId, credentialVersion } = account;
    if (!session) throw invalidCredentials('the password has just changed', consumerId);
    if (outdated) await this.rehash(consumerId, credentialVersion, touchpoint, password, origin);
    return session;
  }

  /** The login has succeeded: a hash that cannot be renewed now is renewed another time. */
  private async rehash(
    consumerId: string,
    version: number,
    touchpoint: Touchpoint,
    password: string,
    { requestId }: Origin,
  ): Promise<void> {
    try {
      await this.credentials.renewHash(consumerId, version, await this.hasher.hash(touchpoint.code, password));
    } catch (err) {
      this.logger.warn({ requestId, err, consumerId }, 'A password hash could not be renewed');
    }
  }
}

const hasPassword = (account: Account | null): account is Account & { credentialVersion: number } =>
  typeof account?.credentialVersion === 'number';

function refusal(account: Account | null): ApiError {
  if (!account) return invalidCredentials('unknown identifier');
  return invalidCredentials(account.passwordHash === null ? 'no password' : 'wrong password', account.consumerId);
}

const invalidCredentials = (reason: string, consumerId?: string): ApiError =>
  new ApiError('INVALID_CREDENTIALS', { refusal: { reason, ...(consumerId !== undefined && { consumerId }) } });
