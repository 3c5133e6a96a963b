import { SubCommand } from 'nest-commander';
import { ConsumerExportService } from '../consumers/transfer/consumer-export.service';
import { STANDARD_STREAM } from '../consumers/transfer/standard-output';
import { commandOrigin } from '../platform/audit/origin';
import { Clock } from '../platform/clock';
import { JsonCommand } from './json-command';
import { printMessage } from './output';
import { Progress } from './progress';
import { keepHeapSmall } from './small-heap';
import { stopSignal } from './stop-signal';

@SubCommand({
  name: 'export-all',
  arguments: '<file>',
  description: 'Write all consumers into a new file, or with - to standard output',
})
export class ConsumerExportAllCommand extends JsonCommand {
  constructor(
    private readonly exports: ConsumerExportService,
    private readonly clock: Clock,
  ) {
    super();
  }

  async run([path = '']: string[], options: { json?: boolean }): Promise<void> {
    keepHeapSmall();
    const progress = new Progress('consumers', this.clock);
    const progressed = (count: number) => {
      progress.update({ count });
    };
    const how = { origin: commandOrigin(), signal: stopSignal(), progressed };
    const consumers = await this.exports.exportAll(path, how).finally(() => {
      progress.end();
    });
    const isFile = path !== STANDARD_STREAM;
    printMessage(
      `${isFile ? path : 'The output'} holds personal data and password hashes: guard it as you guard the database`,
    );
    if (isFile) this.print({ file: path, consumers }, options);
    else printMessage(`${consumers} consumers were exported`);
  }
}
