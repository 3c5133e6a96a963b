import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditService } from '../../../audit/audit.service';
import type { Origin } from '../../../audit/origin';
import { ConsumerRepository } from '../../../profiles/consumer.repository';
import { ConsumerExportRepository } from './consumer-export.repository';
import { type ExportedConsumer, lineOf } from './exported-consumer';
import { NewFile } from './export-output';
import { STANDARD_STREAM, writeToStandardOutput } from '../standard-stream';
import { TransferError } from '../transfer-error';

export interface ExportOptions {
  origin: Origin;
  /** Ends the export after the running page, without a file. */
  signal: AbortSignal;
  progressed: (written: number, total: number) => void;
}

/** Writes all consumers as an import takes them. */
@Injectable()
export class ConsumerExportService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly consumers: ConsumerRepository,
    private readonly exported: ConsumerExportRepository,
    private readonly audit: AuditService,
  ) {}

  /** Into a new file, or to standard output; how many consumers were written. */
  exportAll(path: string, options: ExportOptions): Promise<number> {
    return path === STANDARD_STREAM ? this.print(options) : this.fill(path, options);
  }

  /** Recorded before anything is written, because output cannot be taken back. */
  private async print(options: ExportOptions): Promise<number> {
    const total = await this.consumers.countConsumers();
    await this.record(this.dataSource.manager, total, options);
    return this.write(writeToStandardOutput, total, options);
  }

  private async fill(path: string, options: ExportOptions): Promise<number> {
    const file = await NewFile.create(path);
    try {
      const total = await this.consumers.countConsumers();
      const consumers = await this.write((text) => file.write(text), total, options);
      await file.sync();
      // Not repeated: the file can be renamed only once.
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

  private async write(
    take: (text: string) => Promise<void>,
    total: number,
    { signal, progressed }: ExportOptions,
  ): Promise<number> {
    let consumers = 0;
    for await (const page of this.pages()) {
      if (signal.aborted) throw new TransferError('Stopped: the export is not complete, and no file was made');
      await take(page.map(lineOf).join(''));
      consumers += page.length;
      progressed(consumers, total);
    }
    return consumers;
  }

  private record(manager: EntityManager, consumers: number, { origin }: ExportOptions): Promise<void> {
    return this.audit.record(manager, origin, { type: 'consumers.exported', details: { consumers } });
  }

  private async *pages(): AsyncGenerator<ExportedConsumer[]> {
    let last: string | null = null;
    for (;;) {
      const page: ExportedConsumer[] = await this.exported.readPage(last);
      if (page.length === 0) return;
      yield page;
      last = page.at(-1)?.customerId ?? null;
    }
  }
}
