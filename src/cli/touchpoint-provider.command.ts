import { Option, SubCommand } from 'nest-commander';
import { commandOrigin } from '../platform/audit/origin';
import { IdentityProvidersService } from '../touchpoints/identity-providers.service';
import { CommandGroup } from './command-group';
import { JsonCommand } from './json-command';
import { TouchpointProviderAddCommand } from './touchpoint-provider-add.command';
import { providersView } from './touchpoint-view';

@SubCommand({ name: 'list', arguments: '<code>', description: 'List the issuers that a touchpoint trusts' })
class TouchpointProviderListCommand extends JsonCommand {
  constructor(private readonly providers: IdentityProvidersService) {
    super();
  }

  async run([code = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(providersView(await this.providers.list(code)), options);
  }
}

@SubCommand({ name: 'remove', arguments: '<code>', description: 'Trust an issuer no longer' })
class TouchpointProviderRemoveCommand extends JsonCommand {
  constructor(private readonly providers: IdentityProvidersService) {
    super();
  }

  async run([code = '']: string[], options: { json?: boolean; issuer: string }): Promise<void> {
    this.print(providersView(await this.providers.remove(code, options.issuer, commandOrigin())), options);
  }

  @Option({ flags: '--issuer <url>', description: 'exactly as it was named', required: true })
  parseIssuer(value: string): string {
    return value;
  }
}

@SubCommand({
  name: 'provider',
  description: 'Administer the issuers of assertions that a touchpoint trusts',
  subCommands: [TouchpointProviderAddCommand, TouchpointProviderListCommand, TouchpointProviderRemoveCommand],
})
export class TouchpointProviderCommand extends CommandGroup {}
