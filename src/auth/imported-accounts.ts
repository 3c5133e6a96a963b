import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../platform/random';
import { Secrets } from '../platform/secrets';
import type { ExternalName } from './assertions/external-identities.service';
import type { IdentifierKind } from './identifiers/identifier.entity';
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

export interface HeldIdentifier {
  kind: IdentifierKind;
  value: string;
}

const HELD = `
  SELECT kind, value FROM identifier WHERE NOT pending AND kind = 'email' AND value = ANY ($1::text[])
  UNION ALL
  SELECT kind, value FROM identifier WHERE NOT pending AND kind = 'phone' AND value = ANY ($2::text[])`;
/** Always in this order: transactions that want the same ones must not wait for each other. */
const INSERT_IDENTIFIERS = `
  INSERT INTO identifier (id, consumer_id, kind, value, pending, verified_at)
  SELECT id, "consumerId", kind, value, false, "verifiedAt"
  FROM jsonb_to_recordset($1::jsonb)
    AS row (id uuid, "consumerId" uuid, kind text, value text, "verifiedAt" timestamptz)
  ORDER BY kind, value`;
const INSERT_CREDENTIALS = `
  INSERT INTO credential (consumer_id, password_hash)
  SELECT "consumerId", "passwordHash"
  FROM jsonb_to_recordset($1::jsonb) AS row ("consumerId" uuid, "passwordHash" text)`;
const LINKED = `
  SELECT issuer, subject FROM external_identity JOIN unnest($1::text[], $2::text[]) AS asked (issuer, subject)
    USING (issuer, subject)`;
const INSERT_EXTERNAL_IDENTITIES = `
  INSERT INTO external_identity (issuer, subject, consumer_id, created_at)
  SELECT issuer, subject, "consumerId", "linkedAt"
  FROM jsonb_to_recordset($1::jsonb) AS row (issuer text, subject text, "consumerId" uuid, "linkedAt" timestamptz)
  ORDER BY issuer, subject`;

/** Identifiers and passwords of consumers who come from elsewhere, many at once. */
@Injectable()
export class ImportedAccounts {
  constructor(private readonly secrets: Secrets) {}

  /** Whether a password can match the hash here: one of our own needs the secret that it was made with. */
  canVerify(passwordHash: string): boolean {
    const { pepperName } = passwordHashParts(passwordHash);
    return pepperName === null || this.secrets.all('password-pepper').some(({ name }) => name === pepperName);
  }

  /** Which of these identifiers somebody has, claimed or verified. */
  held(manager: EntityManager, emails: string[], phones: string[]): Promise<HeldIdentifier[]> {
    return manager.query<HeldIdentifier[]>(HELD, [emails, phones]);
  }

  /** Which of these subjects are linked to somebody. */
  linked(manager: EntityManager, names: ExternalName[]): Promise<ExternalName[]> {
    if (names.length === 0) return Promise.resolve([]);
    return manager.query<ExternalName[]>(LINKED, [
      names.map(({ issuer }) => issuer),
      names.map(({ subject }) => subject),
    ]);
  }

  /** Breaks a unique index when another consumer has just come to hold an identifier or an external identity. */
  async insert(manager: EntityManager, accounts: ImportedAccount[]): Promise<void> {
    await manager.query(INSERT_IDENTIFIERS, [JSON.stringify(accounts.flatMap(identifierRows))]);
    const credentials = accounts.filter(({ passwordHash }) => passwordHash !== null);
    await manager.query(INSERT_CREDENTIALS, [JSON.stringify(credentials)]);
    const links = accounts.flatMap(({ consumerId, externalIdentities }) =>
      externalIdentities.map((link) => ({ consumerId, ...link })),
    );
    if (links.length > 0) await manager.query(INSERT_EXTERNAL_IDENTITIES, [JSON.stringify(links)]);
  }
}

function identifierRows({ consumerId, email, emailVerifiedAt, phone, phoneVerifiedAt }: ImportedAccount): object[] {
  return [
    { kind: 'email', value: email, verifiedAt: emailVerifiedAt },
    { kind: 'phone', value: phone, verifiedAt: phoneVerifiedAt },
  ]
    .filter(({ value }) => value !== null)
    .map((identifier) => ({ id: newId(), consumerId, ...identifier }));
}
