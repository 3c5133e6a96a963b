import { Option, SubCommand } from 'nest-commander';
import { ConsumerImportService, type ImportObserver } from '../consumers/transfer/consumer-import.service';
import { STANDARD_STREAM } from '../consumers/transfer/standard-output';
import type { ImportRun } from '../consumers/transfer/import-run.entity';
import { commandOrigin } from '../platform/audit/origin';
import { Clock } from '../platform/clock';
import { JsonCommand } from './json-command';
import { OptionError } from './option-values';
import { Progress } from './progress';
import { RefusalReport } from './refusal-report';
import { keepHeapSmall } from './small-heap';
import { stopSignal } from './stop-signal';

interface ImportCommandOptions {
  json?: boolean;
  dryRun?: boolean;
  report?: string;
}

@SubCommand({ name: 'import', arguments: '<file>', description: 'Import consumers, one JSON object a line' })
export class ConsumerImportCommand extends JsonCommand {
  constructor(
    private readonly imports: ConsumerImportService,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run([path = '']: string[], options: ImportCommandOptions): Promise<void> {
    keepHeapSmall();
    const progress = new Progress('lines', this.clock);
    let report: RefusalReport | undefined;
    const observer: ImportObserver = {
      begun: async (earlier) => {
        if (earlier) progress.print(`${describe(earlier)}\n`);
        const goesOn = earlier !== null && options.dryRun !== true;
        report = await RefusalReport.open(options.report, goesOn, (lines) => {
          progress.print(lines);
        });
      },
      refused: async (refusals) => {
        await report?.add(refusals);
      },
      progressed: ({ bytes, totalBytes, lines }) => {
        progress.update({ count: lines, part: bytes / totalBytes });
      },
    };
    const how = { dryRun: options.dryRun ?? false, origin: commandOrigin(), signal: stopSignal(), observer };
    const summary = await this.imports.import(path, how).finally(async () => {
      progress.end();
      await report?.close();
    });
    this.print(summary, options);
  }

  @Option({ flags: '--dry-run', description: 'say what would be refused, and import nothing' })
  parseDryRun(): boolean {
    return true;
  }

  @Option({ flags: '--report <file>', description: 'write what is refused into a file instead of standard error' })
  parseReport(value: string): string {
    if (value === STANDARD_STREAM)
      throw new OptionError('--report must name a file: without it, what is refused goes to standard error');
    return value;
  }
}

function describe({ finishedAt, linesDone }: ImportRun): string {
  if (finishedAt === null) return `This import has been interrupted; it goes on after line ${linesDone}`;
  return `This file was imported on ${finishedAt.toISOString()}; nothing is left to do`;
}
