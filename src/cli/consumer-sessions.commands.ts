import { SubCommand } from 'nest-commander';
import { ConsumerRecords } from '../consumers/consumer-records.service';
import { commandOrigin } from '../platform/audit/origin';
import { JsonCommand } from './json-command';

@SubCommand({
  name: 'revoke',
  arguments: '<id-or-identifier>',
  description: 'End all sessions of a consumer, from their next request on',
})
class ConsumerSessionsRevokeCommand extends JsonCommand {
  constructor(private readonly records: ConsumerRecords) {
    super();
  }

  async run([consumer = '']: string[]): Promise<void> {
    const result = await this.records.revokeSessions(consumer, commandOrigin());
    // The parser gives `--json` to `sessions`, which has it too.
    this.print(result, this.command.optsWithGlobals());
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
