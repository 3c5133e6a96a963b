import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { AuditRecord } from '../audit/audit-record';
import { AuditService } from '../audit/audit.service';
import type { Origin } from '../audit/origin';

/** Records who looks at what, before it is shown. */
@Injectable()
export class Looks {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  async record(origin: Origin, look: AuditRecord): Promise<void> {
    await this.audit.record(this.dataSource.manager, origin, look);
  }
}
