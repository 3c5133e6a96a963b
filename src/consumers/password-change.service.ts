import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { AccountsService } from '../auth/accounts.service';
import { CredentialsService } from '../auth/credentials.service';
import { LoginAttempts } from '../auth/login-attempts';
import { PasswordHasher } from '../auth/password-hasher';
import { PasswordPolicy } from '../auth/password-policy';
import { type Customer, SessionsService } from '../auth/sessions.service';
import { ApiError, validationFailed } from '../platform/errors/api-error';
import type { PasswordChangeDto } from './password-change.dto';
import { ProfilesService } from './profiles.service';

/** Changes passwords. A wrong current password counts as a failed login by every identifier of the consumer. */
@Injectable()
export class PasswordChangeService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly profiles: ProfilesService,
    private readonly accounts: AccountsService,
    private readonly credentials: CredentialsService,
    private readonly attempts: LoginAttempts,
    private readonly passwords: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly sessions: SessionsService,
  ) {}

  async change(customer: Customer, dto: PasswordChangeDto, address: string | null): Promise<void> {
    const { consumerId } = customer;
    const { profile } = await this.profiles.read(consumerId);
    const violations = this.passwords.violations('newPassword', dto.newPassword, profile);
    if (violations.length > 0) throw validationFailed(violations);
    const credential = await this.credentials.find(consumerId);
    if (!credential) throw new ApiError('PASSWORD_NOT_SET');

    const account = await this.accounts.find({ kind: 'customerId', value: consumerId }, address);
    const identifiers = [consumerId, profile.email, profile.phone].filter((value) => value !== null);
    const { matches } = await this.attempts.guess(
      { identifiers, address, addressIsKnown: account?.addressIsKnown ?? false },
      () => this.hasher.verify(dto.currentPassword, credential.passwordHash),
    );
    if (!matches) throw new ApiError('CURRENT_PASSWORD_INVALID');
    const passwordHash = await this.hasher.hash(dto.newPassword);
    await this.dataSource.transaction(async (manager) => {
      const changed = await this.credentials.change(manager, credential, passwordHash);
      if (!changed) throw new ApiError('CURRENT_PASSWORD_INVALID');
      await this.sessions.revokeOthers(manager, customer);
    });
  }
}
