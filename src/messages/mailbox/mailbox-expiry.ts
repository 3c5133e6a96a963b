import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../platform/settings/config';
import { Clock } from '../../platform/clock';
import { ScheduledJobs } from '../../platform/jobs/scheduled-jobs';
import { mailboxDirectory, removeOldFromMailbox } from './mailbox';

const EVERY_SECONDS = 3_600;
/** As long as failed messages are kept. */
const KEEP_MS = 30 * 24 * 3_600_000;

/**
 * Deletes old files of the development mailbox: the code of a registration names no consumer, so an erasure cannot find
 * it.
 */
@Injectable()
export class MailboxExpiry implements OnModuleInit {
  constructor(
    private readonly jobs: ScheduledJobs,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.schedule('expired-mailbox-files', EVERY_SECONDS, () =>
      removeOldFromMailbox(mailboxDirectory(this.config), this.clock.epochMs() - KEEP_MS),
    );
  }
}
