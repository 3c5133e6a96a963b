import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { externalIdentitiesOf } from '../../auth/assertions/external-identities.service';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { type ExportedConsumer, lineOf } from './exported-consumer';
import { NewFile } from './new-file';
import { STANDARD_STREAM, writeToStandardOutput } from './standard-output';
import { TransferError } from './transfer-error';

const PAGE_SIZE = 500;
const present = (kind: 'email' | 'phone') =>
  `SELECT value, verified_at FROM identifier WHERE consumer_id = c.id AND kind = '${kind}' AND NOT pending LIMIT 1`;
// The limits keep the planner from making joins of the look-ups: without statistics, which the embedded database never
// has, it would read both tables from end to end for every page.
const PAGE = `
  SELECT c.id AS "customerId", c.type, c.first_name AS "firstName", c.last_name AS "lastName",
    e.value AS email, e.verified_at AS "emailVerifiedAt", p.value AS phone, p.verified_at AS "phoneVerifiedAt",
    c.birth_date::text AS "birthDate", c.locale, c.address, c.attributes, k.password_hash AS "passwordHash",
    ${externalIdentitiesOf('c.id', 'issuer', 'subject', 'linkedAt')} AS "externalIdentities",
    c.created_at AS "createdAt", c.updated_at AS "updatedAt"
  FROM (SELECT * FROM consumer WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT ${PAGE_SIZE}) c
  LEFT JOIN LATERAL (${present('email')}) e ON true
  LEFT JOIN LATERAL (${present('phone')}) p ON true
  LEFT JOIN LATERAL (SELECT password_hash FROM credential WHERE consumer_id = c.id LIMIT 1) k ON true
  ORDER BY c.id`;

export interface ExportOptions {
  origin: Origin;
  /** Ends the export after the page that is under way, without a file. */
  signal: AbortSignal;
  progressed: (consumers: number) => void;
}

/** Writes all consumers as an import takes them. */
@Injectable()
export class ConsumerExportService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** Into a new file, or to standard output; how many consumers were written. */
  exportAll(path: string, options: ExportOptions): Promise<number> {
    return path === STANDARD_STREAM ? this.print(options) : this.fill(path, options);
  }

  /** Recorded before anything leaves, since it cannot be taken back. */
  private async print(options: ExportOptions): Promise<number> {
    const [{ consumers }] = await this.dataSource.query<[{ consumers: number }]>(
      'SELECT count(*)::int AS consumers FROM consumer',
    );
    await this.record(this.dataSource.manager, consumers, options);
    return this.write(writeToStandardOutput, options);
  }

  private async fill(path: string, options: ExportOptions): Promise<number> {
    const file = await NewFile.create(path);
    try {
      const consumers = await this.write((text) => file.write(text), options);
      await file.sync();
      // Not repeated: the file can take its name only once.
      await this.dataSource.manager.transaction(async (manager) => {
        await this.record(manager, consumers, options);
        // Last: when it fails, nothing is recorded.
        await file.complete();
      });
      return consumers;
    } finally {
      await file.close();
    }
  }

  private async write(take: (text: string) => Promise<void>, { signal, progressed }: ExportOptions): Promise<number> {
    let consumers = 0;
    for await (const page of this.pages()) {
      if (signal.aborted) throw new TransferError('Stopped: the export is not complete, and no file was made');
      await take(page.map(lineOf).join(''));
      consumers += page.length;
      progressed(consumers);
    }
    return consumers;
  }

  private record(manager: EntityManager, consumers: number, { origin }: ExportOptions): Promise<void> {
    return this.audit.record(manager, origin, { type: 'consumers.exported', details: { consumers } });
  }

  /** One statement a page, so that each consumer comes once and as it was at one moment. */
  private async *pages(): AsyncGenerator<ExportedConsumer[]> {
    let last: string | null = null;
    for (;;) {
      const page: ExportedConsumer[] = await this.dataSource.query<ExportedConsumer[]>(PAGE, [last]);
      if (page.length === 0) return;
      yield page;
      last = page.at(-1)?.customerId ?? null;
    }
  }
}
