import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ImportedAccounts } from '../../auth/imported-accounts';
import { ConsumerExportService } from './consumer-export.service';
import { ConsumerImportService } from './consumer-import.service';
import { ConsumerRows } from './consumer-rows';
import { ImportRun } from './import-run.entity';
import { ImportRuns } from './import-runs';
import { AuditModule } from '../../audit/audit.module';

/** Takes consumers in and out by the file; stands apart from what serves requests. */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([ImportRun])],
  providers: [ConsumerExportService, ConsumerImportService, ConsumerRows, ImportedAccounts, ImportRuns],
  exports: [ConsumerExportService, ConsumerImportService],
})
export class TransferModule {}
