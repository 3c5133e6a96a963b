import { SubCommand } from 'nest-commander';
import { ConsumerRecords } from '../consumers/consumer-records.service';
import { JsonCommand } from './json-command';

@SubCommand({
  name: 'show',
  arguments: '<id-or-identifier>',
  description: 'Show the profile, the sessions and the audit trail of a consumer',
})
export class ConsumerShowCommand extends JsonCommand {
  constructor(private readonly records: ConsumerRecords) {
    super();
  }

  async run([consumer = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(await this.records.show(consumer), options);
  }
}
