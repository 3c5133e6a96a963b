import { Option, SubCommand } from 'nest-commander';
import { ConsumerAccess } from '../consumers/consumer-access.service';
import { ConsumerRecords } from '../consumers/consumer-records.service';
import { commandOrigin } from '../platform/audit/origin';
import { warnOfLockout } from './consumer-unlink.command';
import { JsonCommand } from './json-command';

@SubCommand({
  name: 'revoke',
  arguments: '<id-or-identifier>',
  description: 'End all sessions of a consumer, from their next request on',
})
class ConsumerSessionsRevokeCommand extends JsonCommand {
  constructor(private readonly access: ConsumerAccess) {
    super();
  }

  async run([consumer = '']: string[], { externalIdentities }: { externalIdentities?: boolean }): Promise<void> {
    // The parser gives `--json` to `sessions`, which has it too.
    const options = this.command.optsWithGlobals<{ json?: boolean }>();
    if (externalIdentities) {
      const ended = await this.access.unlink(consumer, commandOrigin());
      warnOfLockout(ended);
      this.print(ended, options);
    } else {
      this.print(await this.access.revokeSessions(consumer, commandOrigin()), options);
    }
  }

  @Option({ flags: '--external-identities', description: 'undo all links to identity providers too' })
  parseExternalIdentities(): boolean {
    return true;
  }
}

@SubCommand({
  name: 'sessions',
  arguments: '<id-or-identifier>',
  description: 'List the sessions of a consumer, live and ended',
  subCommands: [ConsumerSessionsRevokeCommand],
})
export class ConsumerSessionsCommand extends JsonCommand {
  constructor(private readonly records: ConsumerRecords) {
    super();
  }

  async run([consumer = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(await this.records.sessionsOf(consumer), options);
  }
}
