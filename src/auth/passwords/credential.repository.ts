import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import sql, { type Sql } from 'sql-template-tag';
import type { EntityManager, Repository } from 'typeorm';
import { run } from '../../platform/database/statement';
import { CONSUMER, IS_ENABLED } from '../../profiles/consumer.repository';
import { Credential } from './credential.entity';

/** What a login needs to know about a consumer's password. */
export interface PasswordRow {
  consumerId: string;
  passwordHash: string | null;
  credentialVersion: number | null;
  /** An administrator has disabled the consumer. */
  isDisabled: boolean;
}

const COLUMNS = sql`
  c.id AS "consumerId", k.password_hash AS "passwordHash", k.version AS "credentialVersion", NOT ${IS_ENABLED} AS "isDisabled"`;

/** For the `JOIN` of another owner's statement. */
export const CREDENTIAL = sql`credential k`;

/** For a `LATERAL` join: `password_hash` of a consumer `c`. */
export const PASSWORD_HASH = sql`(SELECT password_hash FROM credential WHERE consumer_id = c.id LIMIT 1)`;

/** The `PasswordRow` of a consumer who has a password. */
export const passwordOf = (consumerId: string): Sql =>
  sql`SELECT ${COLUMNS} FROM credential k JOIN ${CONSUMER} ON c.id = k.consumer_id WHERE k.consumer_id = ${consumerId}`;

/** The `PasswordRow` of the one consumer that `holder` selects as `consumer_id`, with a password or without. */
export const passwordOfHolder = (holder: Sql): Sql =>
  sql`SELECT ${COLUMNS} FROM (${holder}) AS holder JOIN ${CONSUMER} ON c.id = holder.consumer_id
    LEFT JOIN credential k ON k.consumer_id = c.id`;

/**
 * Selects the `consumer_id` whose password is still of this version. The shared lock makes a change of the password wait
 * for the transaction.
 */
export const holderOfPassword = (consumerId: string, version: number): Sql =>
  sql`SELECT consumer_id FROM credential WHERE consumer_id = ${consumerId} AND version = ${version} FOR SHARE`;

/** Every statement on `credential`: the passwords of consumers, as hashes. */
@Injectable()
export class CredentialRepository {
  constructor(@InjectRepository(Credential) private readonly credentials: Repository<Credential>) {}

  async insertCredential(manager: EntityManager, consumerId: string, passwordHash: string): Promise<void> {
    await manager.insert(Credential, { consumerId, passwordHash });
  }

  async insertCredentials(
    manager: EntityManager,
    credentials: { consumerId: string; passwordHash: string }[],
  ): Promise<void> {
    await run(
      manager,
      sql`INSERT INTO credential (consumer_id, password_hash)
        SELECT "consumerId", "passwordHash"
        FROM jsonb_to_recordset(${JSON.stringify(credentials)}::jsonb) AS row ("consumerId" uuid, "passwordHash" text)`,
    );
  }

  findCredential(consumerId: string): Promise<Credential | null> {
    return this.credentials.findOneBy({ consumerId });
  }

  hasCredential(manager: EntityManager, consumerId: string): Promise<boolean> {
    return manager.existsBy(Credential, { consumerId });
  }

  /** The first lock of logins and password changes, which wait for the transaction. */
  async lockCredential(manager: EntityManager, consumerId: string): Promise<void> {
    await run(manager, sql`SELECT 1 FROM credential WHERE consumer_id = ${consumerId} FOR UPDATE`);
  }

  /** Sets a new password; false if another change came first. */
  async changePassword(
    manager: EntityManager,
    { consumerId, version }: Credential,
    passwordHash: string,
  ): Promise<boolean> {
    const changes = { passwordHash, version: version + 1 };
    const { affected } = await manager.update(Credential, { consumerId, version }, changes);
    return affected === 1;
  }

  /** Sets a password, whether or not there was one. */
  async setPassword(manager: EntityManager, consumerId: string, passwordHash: string): Promise<void> {
    await run(
      manager,
      sql`INSERT INTO credential AS known (consumer_id, password_hash) VALUES (${consumerId}, ${passwordHash})
        ON CONFLICT (consumer_id) DO UPDATE SET password_hash = excluded.password_hash, version = known.version + 1`,
    );
  }

  /** Replaces the hash of an unchanged password. */
  async renewHash(consumerId: string, version: number, passwordHash: string): Promise<void> {
    await this.credentials.update({ consumerId, version }, { passwordHash });
  }
}
