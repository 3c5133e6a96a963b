import { isUUID } from 'class-validator';
import { Command, Option, SubCommand } from 'nest-commander';
import { AppConfig } from '../platform/app-config';
import { auditEventView } from '../platform/audit/audit-event-view';
import { AuditTrail } from '../platform/audit/audit-trail.service';
import { Clock } from '../platform/clock';
import { CommandGroup } from './command-group';
import { JsonCommand } from './json-command';
import { OptionError, parseTime } from './option-values';
import { printMessage } from './output';

const DEFAULT_LIMIT = 1_000;
/** A page is held in memory. */
const MAX_LIMIT = 10_000;

interface ListOptions {
  json?: boolean;
  consumer?: string;
  touchpoint?: string;
  requestId?: string;
  since?: Date;
  limit?: number;
  before?: string;
  after?: string;
}

@SubCommand({ name: 'list', description: 'List what was done and what was refused, the oldest first' })
class AuditListCommand extends JsonCommand {
  constructor(
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run(_: string[], options: ListOptions): Promise<void> {
    const { consumer: consumerId, touchpoint, requestId, since, limit = DEFAULT_LIMIT, before, after } = options;
    const filter = { consumerId, touchpoint, requestId, since };
    const { events, hasMore } = await this.trail.page(filter, { limit, before, after });
    this.print(events.map(auditEventView), options);
    if (!hasMore) return;
    if (after === undefined) printMessage(`There are older events: add --before ${events.at(0)?.id}`);
    else printMessage(`There are newer events: add --after ${events.at(-1)?.id}`);
  }

  @Option({ flags: '--consumer <id>', description: 'only what concerns this consumer' })
  parseConsumer(value: string): string {
    if (!isUUID(value)) throw new OptionError('--consumer must be a customer id');
    return value;
  }

  @Option({ flags: '--touchpoint <code>', description: 'only what concerns this touchpoint' })
  parseTouchpoint(value: string): string {
    return value;
  }

  @Option({ flags: '--request-id <id>', description: 'only what this request did' })
  parseRequestId(value: string): string {
    return value;
  }

  @Option({
    flags: '--since <time>',
    description: 'a time such as 2026-01-31T12:00:00Z, or a duration back such as 24h',
  })
  parseSince(value: string): Date {
    return parseTime('--since', value, this.clock);
  }

  @Option({ flags: '--before <event>', description: 'only what was before the event of this id' })
  parseBefore(value: string): string {
    return eventId('--before', value);
  }

  @Option({ flags: '--after <event>', description: 'from the event of this id on, and not the newest' })
  parseAfter(value: string): string {
    return eventId('--after', value);
  }

  @Option({
    flags: '--limit <count>',
    description: `so many, the newest unless --after is given (default: ${DEFAULT_LIMIT})`,
  })
  parseLimit(value: string): number {
    const limit = Number(value);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
      throw new OptionError(`--limit must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    return limit;
  }
}

function eventId(flag: string, value: string): string {
  if (!isUUID(value)) throw new OptionError(`${flag} must be the id of an event`);
  return value;
}

/** The trail has nothing of the request. */
class UnknownRequestError extends Error {}

@SubCommand({ name: 'explain', arguments: '<request-id>', description: 'Tell which check refused a request, and why' })
class AuditExplainCommand extends JsonCommand {
  constructor(
    private readonly trail: AuditTrail,
    private readonly config: AppConfig,
  ) {
    super();
  }

  async run([requestId = '']: string[], options: { json?: boolean }): Promise<void> {
    const explanation = await this.trail.explain(requestId);
    if (!explanation) {
      throw new UnknownRequestError(
        `Nothing is recorded of request ${requestId}: it changed nothing and was not refused, it was only counted ` +
          `among equal refusals, or it is older than ${this.config.auditRetentionDays} days`,
      );
    }
    this.print({ ...explanation, acts: explanation.acts.map(auditEventView) }, options);
  }
}

@Command({ name: 'audit', description: 'Read the audit trail', subCommands: [AuditListCommand, AuditExplainCommand] })
export class AuditCommand extends CommandGroup {}
