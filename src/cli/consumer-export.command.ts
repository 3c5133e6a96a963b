import { SubCommand } from 'nest-commander';
import { ConsumerRecords } from '../consumers/consumer-records.service';
import { commandOrigin } from '../platform/audit/origin';
import { JsonCommand } from './json-command';

@SubCommand({
  name: 'export',
  arguments: '<id-or-identifier>',
  description: 'Print everything that is kept of a consumer, but secrets',
})
export class ConsumerExportCommand extends JsonCommand {
  constructor(private readonly records: ConsumerRecords) {
    super();
  }

  async run([consumer = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(await this.records.export(consumer, commandOrigin()), options);
  }
}
