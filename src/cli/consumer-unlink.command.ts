import { Option, SubCommand } from 'nest-commander';
import { ConsumerAccess, type EndedLinks } from '../consumers/consumer-access.service';
import { commandOrigin } from '../platform/audit/origin';
import { JsonCommand } from './json-command';
import { printMessage } from './output';

@SubCommand({
  name: 'unlink',
  arguments: '<id-or-identifier>',
  description: 'Undo the links of a consumer to an identity provider, and end all sessions',
})
export class ConsumerUnlinkCommand extends JsonCommand {
  constructor(private readonly access: ConsumerAccess) {
    super();
  }

  async run([consumer = '']: string[], options: { json?: boolean; issuer: string }): Promise<void> {
    const ended = await this.access.unlink(consumer, commandOrigin(), options.issuer);
    warnOfLockout(ended);
    this.print(ended, options);
  }

  @Option({ flags: '--issuer <url>', description: 'as `consumer show` has it', required: true })
  parseIssuer(value: string): string {
    return value;
  }
}

export function warnOfLockout({ customerId, canLogIn }: EndedLinks): void {
  if (!canLogIn)
    printMessage(`Consumer ${customerId} has neither a password nor an external identity left to log in with`);
}
