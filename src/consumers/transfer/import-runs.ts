import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { Clock } from '../../platform/clock';
import { ImportRun } from './import-run.entity';
import { TransferError } from './transfer-error';

/** Remembers how far each file has been imported, so that an interrupted import goes on and none is done twice. */
@Injectable()
export class ImportRuns {
  constructor(
    @InjectRepository(ImportRun) private readonly runs: Repository<ImportRun>,
    private readonly clock: Clock,
  ) {}

  find(fileDigest: Buffer): Promise<ImportRun | null> {
    return this.runs.findOneBy({ fileDigest });
  }

  /** The run of a file of which nothing is imported yet. */
  draft(fileDigest: Buffer): ImportRun {
    const startedAt = this.clock.now();
    return { fileDigest, bytesDone: 0, linesDone: 0, imported: 0, refused: 0, startedAt, finishedAt: null };
  }

  async begin(fileDigest: Buffer): Promise<ImportRun> {
    await this.runs.createQueryBuilder().insert().values(this.draft(fileDigest)).orIgnore().execute();
    return this.runs.findOneByOrFail({ fileDigest });
  }

  /** Keeps others from the next batch until the transaction ends; refused when somebody else has done it already. */
  async hold(manager: EntityManager, { fileDigest, bytesDone }: ImportRun): Promise<void> {
    const held = await manager.query<unknown[]>(
      'SELECT 1 FROM import_run WHERE file_digest = $1 AND bytes_done = $2 FOR UPDATE',
      [fileDigest, bytesDone],
    );
    if (held.length === 0) throw new TransferError('Another process is importing this file');
  }

  async advance(manager: EntityManager, { fileDigest, ...progress }: ImportRun): Promise<void> {
    await manager.update(ImportRun, { fileDigest }, progress);
  }

  async finish({ fileDigest }: ImportRun): Promise<void> {
    await this.runs.update({ fileDigest }, { finishedAt: this.clock.now() });
  }
}
