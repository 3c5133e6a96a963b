import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ImportedAccounts } from '../../auth/imported-accounts';
import type { Origin } from '../../audit/origin';
import { Clock } from '../../platform/clock';
import { violatedConstraint } from '../../platform/database/connection/database-errors';
import { ConsumerRows } from './consumer-rows';
import type { ImportRun } from './import-run.entity';
import { ImportRunRepository } from './import-run.repository';
import { readRecord } from './imported-record';
import { type Line, NdjsonFile, type Position } from './ndjson-file';
import { Rehearsal } from './rehearsal';
import { judge, type ParsedLine, type Refusal, uniqueValuesIn, type Verdict } from './verdict';
import { TransferError } from './transfer-error';

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
    const file = await NdjsonFile.open(path);
    try {
      const fileDigest = await file.digest();
      const earlier = await this.runs.findRun(fileDigest);
      await options.observer.begun(earlier);
      const start = earlier ?? (await this.begin(fileDigest, options.dryRun));
      const end = start.finishedAt === null ? await this.importFrom(start, file, options) : start;
      return summary(start, end, options.dryRun);
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

  private async importFrom(start: ImportRun, file: NdjsonFile, options: ImportOptions): Promise<ImportRun> {
    if (!options.dryRun) {
      const end = await this.eachBatch(start, file, options, (run, batch) => this.importBatch(run, batch, options));
      await this.runs.finishRun(end, this.clock.now());
      return end;
    }
    const rehearsal = new Rehearsal(this.dataSource.manager, this.rows);
    return this.eachBatch(start, file, options, async (run, { lines, end }) => {
      const verdict = await rehearsal.judge(lines);
      await options.observer.refused(verdict.refused);
      return advanced(run, verdict, end);
    });
  }

  private async eachBatch(
    start: ImportRun,
    file: NdjsonFile,
    { dryRun, signal, observer }: ImportOptions,
    handle: (run: ImportRun, batch: Batch) => Promise<ImportRun>,
  ): Promise<ImportRun> {
    let done = Promise.resolve(start);
    for await (const lines of file.batches({ bytes: start.bytesDone, lines: start.linesDone })) {
      // The database works on the batch before meanwhile.
      const batch = { lines: await this.parse(lines), end: (lines.at(-1) ?? lines[0]).end };
      const run = await done;
      if (signal.aborted) {
        const goesOn = dryRun ? '' : '; the same command goes on there';
        throw new TransferError(`Stopped after line ${run.linesDone}${goesOn}`);
      }
      await file.assertUnchanged();
      observer.progressed({ bytes: run.bytesDone, totalBytes: file.size, lines: handled(run) - handled(start) });
      done = handle(run, batch);
      // It is awaited in the next round, or below.
      done.catch(() => undefined);
    }
    return done;
  }

  private async parse(lines: Line[]): Promise<ParsedLine[]> {
    const context = { now: this.clock.now(), canVerify: (hash: string) => this.accounts.canVerify(hash) };
    const parsed: ParsedLine[] = [];
    for (const { bytes, end } of lines) {
      parsed.push({ number: end.lines, result: readRecord(bytes, context) });
      if (parsed.length % LINES_AT_A_STRETCH === 0) await setImmediate();
    }
    return parsed;
  }

  /** The batch and the progress of the import in one transaction. */
  private async importBatch(run: ImportRun, { lines, end }: Batch, options: ImportOptions): Promise<ImportRun> {
    const fileSha256 = run.fileDigest.toString('hex');
    for (let attempt = 1; ; attempt += 1) {
      try {
        // Not repeated by itself: the observer would be told the refused lines again.
        return await this.dataSource.manager.transaction(async (manager) => {
          const isOurs = await this.runs.holdRun(manager, run);
          if (!isOurs) throw new TransferError('Another process is importing this file');
          const verdict = judge(lines, await this.rows.taken(manager, uniqueValuesIn(lines)));
          await this.rows.insert(manager, verdict.accepted, fileSha256, options.origin);
          await options.observer.refused(verdict.refused);
          const next = advanced(run, verdict, end);
          await this.runs.advanceRun(manager, next);
          return next;
        });
      } catch (error) {
        // Somebody has registered between the look-up and the insert: the next look-up sees it.
        if (!UNIQUE.has(violatedConstraint(error) ?? '') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }
}

interface Batch {
  lines: ParsedLine[];
  end: Position;
}

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

const summary = (start: ImportRun, end: ImportRun, dryRun: boolean): ImportSummary => ({
  fileSha256: start.fileDigest.toString('hex'),
  dryRun,
  lines: handled(end),
  imported: end.imported - start.imported,
  refused: end.refused - start.refused,
  already: handled(start),
});
