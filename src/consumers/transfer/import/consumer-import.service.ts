import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ImportedAccounts } from '../../../auth/imported-accounts';
import type { Origin } from '../../../audit/origin';
import { Clock } from '../../../platform/clock';
import { violatedConstraint } from '../../../platform/database/connection/database-errors';
import { ConsumerRows } from '../consumer-rows';
import { batchesOf, type FoundRecord, type Position } from '../found-record';
import { ImportFile } from './import-file';
import type { ImportFormat } from './import-format';
import type { ImportRun } from './import-run.entity';
import { ImportRunRepository } from './import-run.repository';
import { readRecord } from './imported-record';
import { NotKept } from './not-kept';
import { Rehearsal } from './rehearsal';
import { judge, type ParsedLine, type Refusal, uniqueValuesIn, type Verdict } from './verdict';
import { TransferError } from '../transfer-error';

/** How often a batch is tried while consumers register with its identifiers at that very moment. */
const MAX_ATTEMPTS = 10;

/** After this many lines the event loop may handle the database's answers. */
const LINES_AT_A_STRETCH = 20;

/** What only one consumer can have. */
const UNIQUE = new Set(['consumer_pkey', 'external_identity_pkey', 'identifier_value_key']);

/** The results of the lines of a file. */
export interface ImportSummary {
  fileSha256: string;
  dryRun: boolean;
  /** Lines that are not empty. */
  lines: number;
  imported: number;
  refused: number;
  /** Lines that earlier runs have handled, which this one skips. */
  already: number;
  /** Of a foreign format: what is not kept, and of how many of the consumers that this run has imported. */
  notKept?: Record<string, number>;
}

/** Observes a running import. */
export interface ImportObserver {
  /** Before anything is written; `earlier` is what a former run of the same file has done. */
  begun(earlier: ImportRun | null): Promise<void>;
  /** Before the batch is committed: an interruption may report a line twice, but never leaves one out. */
  refused(refusals: Refusal[]): Promise<void>;
  /** `lines` counts those of this run. */
  progressed(progress: { bytes: number; totalBytes: number; lines: number }): void;
}

export interface ImportOptions {
  format: ImportFormat;
  dryRun: boolean;
  origin: Origin;
  /** Ends the import after the running batch. */
  signal: AbortSignal;
  observer: ImportObserver;
}

/** Takes consumers over from another system, out of a file of any size. */
@Injectable()
export class ConsumerImportService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly runs: ImportRunRepository,
    private readonly rows: ConsumerRows,
    private readonly accounts: ImportedAccounts,
    private readonly clock: Clock,
  ) {}

  async import(path: string, options: ImportOptions): Promise<ImportSummary> {
    const file = await ImportFile.open(path);
    try {
      const content = await file.digest();
      const runKey = keyOf(content, options.format);
      const earlier = await this.runs.findRun(runKey);
      await options.observer.begun(earlier);
      const start = earlier ?? (await this.begin(runKey, options.dryRun));
      const job = { ...options, file, fileSha256: content.toString('hex'), notKept: new NotKept() };
      const end = start.finishedAt === null ? await this.importFrom(start, job) : start;
      return summary(start, end, job);
    } finally {
      await file.close();
    }
  }

  /** Stored, so that an interrupted import continues and none runs twice; a dry run stores nothing. */
  private begin(fileDigest: Buffer, dryRun: boolean): Promise<ImportRun> {
    const startedAt = this.clock.now();
    const run = { fileDigest, bytesDone: 0, linesDone: 0, imported: 0, refused: 0, startedAt, finishedAt: null };
    return dryRun ? Promise.resolve(run) : this.runs.beginRun(run);
  }

  private async importFrom(start: ImportRun, job: Job): Promise<ImportRun> {
    if (!job.dryRun) {
      const end = await this.eachBatch(start, job, (run, batch) => this.importBatch(run, batch, job));
      await this.runs.finishRun(end, this.clock.now());
      return end;
    }
    const rehearsal = new Rehearsal(this.dataSource.manager, this.rows);
    return this.eachBatch(start, job, async (run, { lines, end }) => {
      const verdict = await rehearsal.judge(lines);
      await job.observer.refused(verdict.refused);
      return { verdict, next: advanced(run, verdict, end) };
    });
  }

  private async eachBatch(
    start: ImportRun,
    job: Job,
    handle: (run: ImportRun, batch: Batch) => Promise<{ verdict: Verdict; next: ImportRun }>,
  ): Promise<ImportRun> {
    const { file, format, dryRun, signal, observer, notKept } = job;
    let done = Promise.resolve(start);
    const found = format.records(file, { bytes: start.bytesDone, lines: start.linesDone });
    for await (const records of whileDone(batchesOf(found), () => done)) {
      // The database works on the batch before meanwhile.
      const batch = { lines: await this.parse(records, format), end: (records.at(-1) ?? records[0]).end };
      const run = await done;
      if (signal.aborted) {
        const goesOn = dryRun ? '' : '; the same command continues there';
        throw new TransferError(`Stopped after line ${run.linesDone}${goesOn}`);
      }
      await file.assertUnchanged();
      observer.progressed({ bytes: run.bytesDone, totalBytes: file.size, lines: handled(run) - handled(start) });
      done = handle(run, batch).then(({ verdict, next }) => {
        notKept.count(verdict.accepted);
        return next;
      });
      // It is awaited in the next round, or below.
      done.catch(() => undefined);
    }
    return done;
  }

  private async parse(records: FoundRecord[], format: ImportFormat): Promise<ParsedLine[]> {
    const context = { now: this.clock.now(), canVerify: (hash: string) => this.accounts.canVerify(hash) };
    const parsed: ParsedLine[] = [];
    for (const record of records) {
      parsed.push({ number: record.end.lines, result: readRecord(record, format, context) });
      if (parsed.length % LINES_AT_A_STRETCH === 0) await setImmediate();
    }
    return parsed;
  }

  /** The batch and the progress of the import in one transaction. */
  private async importBatch(run: ImportRun, { lines, end }: Batch, { fileSha256, origin, observer }: Job) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // Not repeated by itself: the observer would be told the refused lines again.
        return await this.dataSource.manager.transaction(async (manager) => {
          const isOurs = await this.runs.holdRun(manager, run);
          if (!isOurs) throw new TransferError('Another process is importing this file');
          const verdict = judge(lines, await this.rows.taken(manager, uniqueValuesIn(lines)));
          await this.rows.insert(manager, verdict.accepted, fileSha256, origin);
          await observer.refused(verdict.refused);
          const next = advanced(run, verdict, end);
          await this.runs.advanceRun(manager, next);
          return { verdict, next };
        });
      } catch (error) {
        // Somebody has registered between the look-up and the insert: the next look-up sees it.
        if (!UNIQUE.has(violatedConstraint(error) ?? '') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

/** A file that cannot be read further must not end the work on the batch before. */
async function* whileDone<T>(batches: AsyncIterable<T>, work: () => Promise<unknown>): AsyncGenerator<T> {
  try {
    yield* batches;
  } catch (error) {
    await work();
    throw error;
  }
}

interface Batch {
  lines: ParsedLine[];
  end: Position;
}

/** An import as it runs. */
interface Job extends ImportOptions {
  file: ImportFile;
  fileSha256: string;
  notKept: NotKept;
}

/** What a run is known by: a file that is read in another way, or with other settings, is another import. */
const keyOf = (contentDigest: Buffer, { identity }: ImportFormat): Buffer =>
  identity === null ? contentDigest : createHash('sha256').update(identity).update(contentDigest).digest();

const handled = ({ imported, refused }: ImportRun): number => imported + refused;

const advanced = (
  { fileDigest, startedAt, finishedAt, imported, refused }: ImportRun,
  verdict: Verdict,
  end: Position,
): ImportRun => ({
  fileDigest,
  bytesDone: end.bytes,
  linesDone: end.lines,
  imported: imported + verdict.accepted.length,
  refused: refused + verdict.refused.length,
  startedAt,
  finishedAt,
});

const summary = (start: ImportRun, end: ImportRun, { fileSha256, format, dryRun, notKept }: Job): ImportSummary => ({
  fileSha256,
  dryRun,
  lines: handled(end),
  imported: end.imported - start.imported,
  refused: end.refused - start.refused,
  already: handled(start),
  ...(format.identity !== null && { notKept: notKept.summary() }),
});
