import type { Command } from 'commander';
import { isUuid } from '../platform/values/uuid';
import { command, commandGroup, type CommonOptions } from './command';
import { OptionError, parseTime } from './option-values';
import { printMessage, printResult } from './output';
import { withServices } from './services';

const DEFAULT_LIMIT = 1_000;
/** A page is held in memory. */
const MAX_LIMIT = 10_000;

interface ListOptions extends CommonOptions {
  consumer?: string;
  touchpoint?: string;
  requestId?: string;
  since?: Date;
  limit?: number;
  before?: string;
  after?: string;
}

export const auditCommands = (): Command =>
  commandGroup(
    'audit',
    'Read the audit trail',
    [list(), explain()],
    ['audit list --since 24h --touchpoint shop', 'audit explain 0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11'],
  );

const list = (): Command =>
  command('list', 'List what was done and what was refused, the oldest first')
    .option('--consumer <id>', 'only what concerns this consumer', idOf('--consumer', 'a customer id'))
    .option('--touchpoint <code>', 'only what concerns this touchpoint')
    .option('--request-id <id>', 'only what this request did')
    .option('--since <time>', 'a time such as 2026-01-31T12:00:00Z, or a duration back such as 24h', (value) =>
      parseTime('--since', value),
    )
    .option('--before <event>', 'only what was before the event of this id', idOf('--before', 'the id of an event'))
    .option('--after <event>', 'only what was after the event of this id', idOf('--after', 'the id of an event'))
    .option(
      '--limit <count>',
      `how many: the newest, or the next ones with --after (default: ${DEFAULT_LIMIT})`,
      parseLimit,
    )
    .action(async (options: ListOptions) => {
      const { consumer: consumerId, touchpoint, requestId, since, limit = DEFAULT_LIMIT, before, after } = options;
      const { AuditTrail, auditEventView, imports } = await auditServices();
      const { events, hasMore } = await withServices({ imports }, (services) =>
        services.get(AuditTrail).page({ consumerId, touchpoint, requestId, since }, { limit, before, after }),
      );
      printResult(events.map(auditEventView), options);
      if (!hasMore) return;
      if (after === undefined) printMessage(`There are older events: add --before ${events.at(0)?.id}`);
      else printMessage(`There are newer events: add --after ${events.at(-1)?.id}`);
    });

const explain = (): Command =>
  command('explain', 'Show which check refused a request, and why')
    .argument('<request-id>')
    .action(async (requestId: string, options: CommonOptions) => {
      const { AppConfig } = await import('../platform/settings/config.js');
      const { AuditTrail, auditEventView, imports } = await auditServices();
      await withServices({ imports }, async (services) => {
        const explanation = await services.get(AuditTrail).explain(requestId);
        if (!explanation) {
          throw new UnknownRequestError(
            `Nothing is recorded of request ${requestId}: it changed nothing and was not refused, it was only counted ` +
              `among equal refusals, or it is older than ${services.get(AppConfig).auditRetentionDays} days`,
          );
        }
        printResult({ ...explanation, acts: explanation.acts.map(auditEventView) }, options);
      });
    });

async function auditServices() {
  const { AuditModule } = await import('../audit/audit.module.js');
  const { AuditTrail } = await import('../audit/audit-trail.service.js');
  const { auditEventView } = await import('../audit/audit-event-view.js');
  return { AuditTrail, auditEventView, imports: [AuditModule] };
}

/** The trail does not know the request. */
class UnknownRequestError extends Error {}

const idOf =
  (flag: string, what: string) =>
  (value: string): string => {
    if (!isUuid(value)) throw new OptionError(`${flag} must be ${what}`);
    return value;
  };

function parseLimit(value: string): number {
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new OptionError(`--limit must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  return limit;
}
