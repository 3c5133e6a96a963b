import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../../audit/audit.module';
import { AuthModule } from '../../auth/auth.module';
import { ProfilesModule } from '../../profiles/profiles.module';
import { ConsumerExportRepository } from './export/consumer-export.repository';
import { ConsumerExportService } from './export/consumer-export.service';
import { ConsumerImportService } from './import/consumer-import.service';
import { ConsumerRows } from './consumer-rows';
import { ImportRun } from './import/import-run.entity';
import { ImportRunRepository } from './import/import-run.repository';

/**
 * Takes consumers in and out by the file, for commands only: nothing here serves requests. The rows of a consumer belong
 * to `profiles` and `auth`, below; the commands stand above. Owns the table `import_run`.
 */
@Module({
  imports: [AuditModule, EventsModule, ProfilesModule, AuthModule, TypeOrmModule.forFeature([ImportRun])],
  providers: [
    ConsumerExportRepository,
    ConsumerExportService,
    ConsumerImportService,
    ConsumerRows,
    ImportRunRepository,
  ],
  exports: [ConsumerExportService, ConsumerImportService],
})
export class TransferModule {}
