import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { CredentialsService } from '../auth/credentials.service';
import { IdentifiersService } from '../auth/identifiers.service';
import { PasswordHasher } from '../auth/password-hasher';
import { PasswordPolicy } from '../auth/password-policy';
import type { SessionDto } from '../auth/session.dto';
import { SessionsService } from '../auth/sessions.service';
import { Clock } from '../platform/clock';
import { ApiError, type FieldError } from '../platform/errors/api-error';
import { validBody } from '../platform/http/validation';
import { newId } from '../platform/random';
import { AuthenticationMode, ChannelProof, type Touchpoint } from '../touchpoints/touchpoint.entity';
import { Consumer } from './consumer.entity';
import { mergeAddress, mergeAttributes } from './merge-patch';
import { profileViolations } from './profile-rules';
import { RegisterDto } from './register.dto';

/** Makes consumers. */
@Injectable()
export class RegistrationService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly credentials: CredentialsService,
    private readonly identifiers: IdentifiersService,
    private readonly sessions: SessionsService,
    private readonly passwords: PasswordPolicy,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  async register(touchpoint: Touchpoint, body: object): Promise<SessionDto> {
    const dto = validBody(RegisterDto, body, (draft) => [
      ...this.passwordViolations(touchpoint, draft),
      ...profileViolations(draft, this.clock.now()),
    ]);
    if (touchpoint.channelProof !== ChannelProof.None) throw new ApiError('SERVICE_UNAVAILABLE');
    // Hashing is slow: no transaction is open meanwhile.
    const passwordHash = typeof dto.password !== 'string' ? null : await this.hasher.hash(dto.password);
    return this.dataSource.transaction(async (manager) => {
      const consumer = this.newConsumer(dto);
      await manager.insert(Consumer, consumer);
      await this.identifiers.claim(manager, consumer.id, dto);
      if (passwordHash !== null) await this.credentials.create(manager, consumer.id, passwordHash);
      return this.sessions.issue(manager, consumer.id, touchpoint);
    });
  }

  private passwordViolations({ authenticationMode }: Touchpoint, draft: RegisterDto): FieldError[] {
    const { password } = draft;
    const isGiven = password !== undefined && password !== null;
    if (authenticationMode !== AuthenticationMode.Password) {
      const message = 'this touchpoint does not use passwords';
      return isGiven ? [{ field: 'password', code: 'FORBIDDEN', message }] : [];
    }
    if (!isGiven) return [{ field: 'password', code: 'REQUIRED', message: 'is required' }];
    return typeof password === 'string' ? this.passwords.violations('password', password, textsOf(draft)) : [];
  }

  private newConsumer({ type, firstName, lastName, birthDate, locale, address, attributes }: RegisterDto): Consumer {
    const now = this.clock.now();
    return {
      id: newId(),
      type,
      firstName,
      lastName,
      birthDate: birthDate ?? null,
      locale: locale ?? null,
      address: mergeAddress(null, address ?? null),
      attributes: mergeAttributes(null, attributes ?? null),
      createdAt: now,
      updatedAt: now,
    };
  }
}

/** A draft may hold anything where text belongs. */
const textsOf = (draft: RegisterDto): Partial<Record<'email' | 'phone' | 'firstName' | 'lastName', string>> =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => typeof value === 'string'));
