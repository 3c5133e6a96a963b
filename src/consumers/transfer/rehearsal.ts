import { createHash } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import { randomSecret } from '../../platform/random';
import { claimsOf, keyOf } from './claims';
import type { ConsumerRows } from './consumer-rows';
import { allClaims, type JudgedLine, settle, type Settlement } from './settle';

/**
 * Settles batches as an import would, and keeps nothing of them: what earlier lines have got stands, as digests, in a
 * temporary table of this connection, so that memory does not grow with the file.
 */
export class Rehearsal {
  // The sessions of the embedded database are one, so that the name must be one of its own.
  private readonly table = `pg_temp.rehearsal_${randomSecret(8).toString('hex')}`;

  private constructor(
    private readonly connection: QueryRunner,
    private readonly rows: ConsumerRows,
  ) {}

  static async open(dataSource: DataSource, rows: ConsumerRows): Promise<Rehearsal> {
    const rehearsal = new Rehearsal(dataSource.createQueryRunner(), rows);
    await rehearsal.connection.query(`CREATE TEMPORARY TABLE ${rehearsal.table} (digest bytea PRIMARY KEY)`);
    return rehearsal;
  }

  async settle(lines: JudgedLine[]): Promise<Settlement> {
    const keys = new Map(allClaims(lines).map((claim) => [digestOf(keyOf(claim)).toString('hex'), keyOf(claim)]));
    const seen = await this.connection.manager.query<{ digest: Buffer }[]>(
      `SELECT digest FROM ${this.table} WHERE digest = ANY ($1::bytea[])`,
      [[...keys.keys()].map((digest) => Buffer.from(digest, 'hex'))],
    );
    const earlier = seen.map(({ digest }) => keys.get(digest.toString('hex')) ?? '');
    const present = await this.rows.taken(this.connection.manager, allClaims(lines));
    const settlement = settle(lines, [...earlier, ...present]);
    const got = settlement.accepted.flatMap(claimsOf).map((claim) => digestOf(keyOf(claim)));
    await this.connection.query(`INSERT INTO ${this.table} SELECT unnest($1::bytea[])`, [got]);
    return settlement;
  }

  async close(): Promise<void> {
    await this.connection.query(`DROP TABLE ${this.table}`).finally(() => this.connection.release());
  }
}

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();
