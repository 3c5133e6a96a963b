import { Option, SubCommand } from 'nest-commander';
import { ConsumerErasure } from '../consumers/consumer-erasure.service';
import { commandOrigin } from '../platform/audit/origin';
import { JsonCommand } from './json-command';

@SubCommand({
  name: 'erase',
  arguments: '<id-or-identifier>',
  description: 'Erase a consumer for good, and print what was erased',
})
export class ConsumerEraseCommand extends JsonCommand {
  constructor(private readonly erasure: ConsumerErasure) {
    super();
  }

  async run([consumer = '']: string[], options: { json?: boolean; yes?: boolean }): Promise<void> {
    if (!options.yes) throw new Error('Nothing was erased: erasing cannot be undone, and needs --yes');
    this.print(await this.erasure.erase(consumer, commandOrigin()), options);
  }

  @Option({ flags: '--yes', description: 'confirm that it cannot be undone' })
  parseYes(): boolean {
    return true;
  }
}
