import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Secrets } from '../platform/secrets/secrets';
import { ExternalIdentityRepository, type ExternalName } from './assertions/external-identity.repository';
import {
  type IdentifierName,
  IdentifierRepository,
  type ImportedIdentifier,
} from './identifiers/identifier.repository';
import { CredentialRepository } from './passwords/credential.repository';
import { passwordHashParts } from './passwords/password-hash-format';

/** How an imported consumer proves who they are; all values are canonical. */
export interface ImportedAccount {
  consumerId: string;
  email: string | null;
  emailVerifiedAt: Date | null;
  phone: string | null;
  phoneVerifiedAt: Date | null;
  passwordHash: string | null;
  externalIdentities: (ExternalName & { linkedAt: Date })[];
}

/** Identifiers and passwords of imported consumers, many at once. */
@Injectable()
export class ImportedAccounts {
  constructor(
    private readonly identifiers: IdentifierRepository,
    private readonly credentials: CredentialRepository,
    private readonly links: ExternalIdentityRepository,
    private readonly secrets: Secrets,
  ) {}

  /** Whether a password can match the hash here: our own hashes need the secret they were made with. */
  canVerify(passwordHash: string): boolean {
    const { pepperName } = passwordHashParts(passwordHash);
    return pepperName === null || this.secrets.all('password-pepper').some(({ name }) => name === pepperName);
  }

  /** Which of these identifiers somebody has, claimed or verified. */
  findHeld(manager: EntityManager, emails: string[], phones: string[]): Promise<IdentifierName[]> {
    return this.identifiers.findHeld(manager, emails, phones);
  }

  /** Which of these subjects are linked to somebody. */
  findLinked(manager: EntityManager, names: ExternalName[]): Promise<ExternalName[]> {
    return this.links.findLinked(manager, names);
  }

  /** Violates a unique index if another consumer has just got an identifier or an external identity. */
  async insert(manager: EntityManager, accounts: ImportedAccount[]): Promise<void> {
    await this.identifiers.insertImported(manager, accounts.flatMap(identifiersIn));
    await this.credentials.insertCredentials(manager, accounts.filter(hasPassword));
    const links = accounts.flatMap(({ consumerId, externalIdentities }) =>
      externalIdentities.map((link) => ({ consumerId, ...link })),
    );
    await this.links.insertImportedLinks(manager, links);
  }
}

const hasPassword = (account: ImportedAccount): account is ImportedAccount & { passwordHash: string } =>
  account.passwordHash !== null;

function identifiersIn({ consumerId, email, emailVerifiedAt, phone, phoneVerifiedAt }: ImportedAccount) {
  const identifiers: ImportedIdentifier[] = [];
  if (email !== null) identifiers.push({ consumerId, kind: 'email', value: email, verifiedAt: emailVerifiedAt });
  if (phone !== null) identifiers.push({ consumerId, kind: 'phone', value: phone, verifiedAt: phoneVerifiedAt });
  return identifiers;
}
