import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { ImportObserver } from '../../consumers/transfer/import/consumer-import.service';
import type { ImportRun } from '../../consumers/transfer/import/import-run.entity';
import { STANDARD_STREAM } from '../../consumers/transfer/standard-stream';
import { Clock } from '../../platform/clock';
import { command, type CommonOptions } from '../command';
import { OptionError } from '../option-values';
import { printMessage, printResult, printWarning } from '../output';
import { Progress } from '../progress';
import { foreignOptions, type ForeignFlags, withForeignOptions } from './foreign-options';
import { RefusalReport } from './refusal-report';
import { withServices } from '../services';
import { stopSignal } from './stop-signal';

interface ImportOptions extends CommonOptions, ForeignFlags {
  dryRun?: boolean;
  report?: string;
}

/** The commands that import and export consumers. */
export const consumerTransferCommands = (): Command[] => [importAll(), exportAll()];

const importAll = (): Command =>
  withForeignOptions(
    command('import', 'Import consumers, one JSON object a line, or the export of another system')
      .argument('<file>')
      .option('--dry-run', 'say what would be refused, and import nothing')
      .option('--report <file>', 'write what is refused into a file instead of standard error', parseReport),
  ).action(async (path: string, options: ImportOptions) => {
    const foreign = foreignOptions(options);
    const { ConsumerImportService } = await import('../../consumers/transfer/import/consumer-import.service.js');
    const { foreignFormat } = await import('../../consumers/transfer/foreign/foreign-format.js');
    const { OWN_FORMAT } = await import('../../consumers/transfer/import/import-format.js');
    const { commandOrigin } = await import('../../audit/origin.js');
    await transfer(async (services) => {
      const progress = new Progress('lines', services.get(Clock));
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
      const format = foreign ? await foreignFormat(foreign, services.get(Clock).now()) : OWN_FORMAT;
      const how = { format, dryRun: options.dryRun ?? false, origin: commandOrigin(), signal: stopSignal(), observer };
      const importing = services.get(ConsumerImportService).import(path, how);
      const summary = await importing.finally(async () => {
        progress.end();
        await report?.close();
      });
      printResult(summary, options);
    });
  });

const exportAll = (): Command =>
  command('export-all', 'Write all consumers into a new file, or with - to standard output')
    .argument('<file>')
    .action(async (path: string, options: CommonOptions) => {
      const { ConsumerExportService } = await import('../../consumers/transfer/export/consumer-export.service.js');
      const { commandOrigin } = await import('../../audit/origin.js');
      await transfer(async (services) => {
        const progress = new Progress('consumers', services.get(Clock));
        const progressed = (count: number, total: number) => {
          progress.update({ count, part: count / Math.max(count, total) });
        };
        const how = { origin: commandOrigin(), signal: stopSignal(), progressed };
        const consumers = await services
          .get(ConsumerExportService)
          .exportAll(path, how)
          .finally(() => {
            progress.end();
          });
        const isFile = path !== STANDARD_STREAM;
        printWarning(
          `${isFile ? path : 'The output'} holds personal data and password hashes: protect it like the database`,
        );
        if (isFile) printResult({ file: path, consumers }, options);
        else printMessage(`${consumers} consumers were exported`);
      });
    });

async function transfer(task: (services: INestApplicationContext) => Promise<void>): Promise<void> {
  const { TransferModule } = await import('../../consumers/transfer/transfer.module.js');
  await withServices({ imports: [TransferModule] }, task);
}

function parseReport(value: string): string {
  if (value === STANDARD_STREAM)
    throw new OptionError('--report must name a file: without it, what is refused goes to standard error');
  return value;
}

function describe({ finishedAt, linesDone }: ImportRun): string {
  if (finishedAt === null) return `This import was interrupted; it continues after line ${linesDone}`;
  return `This file was imported on ${finishedAt.toISOString()}; nothing is left to do`;
}
