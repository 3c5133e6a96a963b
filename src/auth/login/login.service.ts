import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditService } from '../../audit/audit.service';
import type { ApiError } from '../../platform/errors/api-error';
import { LOGGER } from '../../platform/logger';
import { parseLoginIdentifier } from '../identifiers/login-identifier';
import { CredentialRepository } from '../passwords/credential.repository';
import { PasswordHasher } from '../passwords/password-hasher';
import type { Caller } from '../sessions/caller';
import type { SessionDto } from '../sessions/session.dto';
import { SessionsService } from '../sessions/sessions.service';
import { consumerDisabled, invalidCredentials } from './invalid-credentials';
import type { LoginDto } from './login.dto';
import { type Account, LoginRepository } from './login.repository';
import { type Guess, PasswordGuesses } from './password-guesses';

type AccountWithPassword = Account & { credentialVersion: number };

/** Logs consumers in by password. Every failure does the same work and gets the same answer. */
@Injectable()
export class LoginService {
  constructor(
    private readonly guesses: PasswordGuesses,
    private readonly logins: LoginRepository,
    private readonly credentials: CredentialRepository,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async login(caller: Caller, { identifier, password }: LoginDto): Promise<SessionDto> {
    const guess = await this.guesses.begin(caller, parseLoginIdentifier(identifier));
    const { account } = guess;
    try {
      const { matches, outdated } = await this.guesses.compare(guess, password);
      if (!matches || !hasPassword(account)) throw refusal(guess);
      const session = await this.openSession(guess, account);
      if (!session) throw invalidCredentials('the password has just changed', account.consumerId);
      // Before the turn ends, so that guesses that wait for it find the new hash instead of making one each.
      if (outdated) await this.rehash(caller, account, password);
      return session;
    } finally {
      this.guesses.end(guess);
    }
  }

  /** Null when the password has changed since it was compared. */
  private async openSession(
    guess: Guess,
    { consumerId, credentialVersion }: AccountWithPassword,
  ): Promise<SessionDto | null> {
    const { touchpoint, consumerIp, origin } = guess.caller;
    try {
      const { dto, ...opening } = this.sessions.prepare(consumerId, touchpoint);
      const login = { type: 'consumer.logged-in', consumerId, details: { sessionId: opening.session.id } } as const;
      const address = consumerIp === null ? null : this.guesses.addressDigest(consumerIp);
      const record = this.audit.rowOf(origin, login);
      const isOpen = await this.logins.openSession(opening, credentialVersion, guess.settlement, address, record);
      return isOpen ? dto : null;
    } catch (error) {
      await this.guesses.takeBack(guess);
      throw error;
    }
  }

  /** The login has succeeded: a hash that cannot be renewed now is renewed by a later login. */
  private async rehash(
    { touchpoint, requestId }: Caller,
    { consumerId, credentialVersion }: AccountWithPassword,
    password: string,
  ): Promise<void> {
    try {
      const passwordHash = await this.hasher.hash(touchpoint.code, password);
      await this.credentials.renewHash(consumerId, credentialVersion, passwordHash);
    } catch (err) {
      this.logger.warn({ requestId, err, consumerId }, 'A password hash could not be renewed');
    }
  }
}

const hasPassword = (account: Account | null): account is AccountWithPassword =>
  typeof account?.credentialVersion === 'number';

function refusal({ account, disabledConsumerId }: Guess): ApiError {
  if (disabledConsumerId !== null) return consumerDisabled(disabledConsumerId);
  if (!account) return invalidCredentials('unknown identifier');
  return invalidCredentials(account.passwordHash === null ? 'no password' : 'wrong password', account.consumerId);
}
