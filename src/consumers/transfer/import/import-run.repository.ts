import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import sql from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { run } from '../../../platform/database/statement';
import { ImportRun } from './import-run.entity';

/** Every statement on `import_run`: how far each file has been imported. */
@Injectable()
export class ImportRunRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  findRun(fileDigest: Buffer): Promise<ImportRun | null> {
    return this.dataSource.manager.findOneBy(ImportRun, { fileDigest });
  }

  /** Another process may have begun the same file: the run that is kept counts. */
  async beginRun(run: ImportRun): Promise<ImportRun> {
    const { manager } = this.dataSource;
    await manager.createQueryBuilder().insert().into(ImportRun).values(run).orIgnore().execute();
    return manager.findOneByOrFail(ImportRun, { fileDigest: run.fileDigest });
  }

  /** Keeps others from the next batch until the transaction ends; false when somebody else has done it already. */
  async holdRun(manager: EntityManager, { fileDigest, bytesDone }: ImportRun): Promise<boolean> {
    const held = await run(
      manager,
      sql`SELECT 1 FROM import_run WHERE file_digest = ${fileDigest} AND bytes_done = ${bytesDone} FOR UPDATE`,
    );
    return held.length > 0;
  }

  async advanceRun(manager: EntityManager, { fileDigest, ...progress }: ImportRun): Promise<void> {
    await manager.update(ImportRun, { fileDigest }, progress);
  }

  async finishRun({ fileDigest }: ImportRun, finishedAt: Date): Promise<void> {
    await this.dataSource.manager.update(ImportRun, { fileDigest }, { finishedAt });
  }
}
