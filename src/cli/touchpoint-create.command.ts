import { Option, SubCommand } from 'nest-commander';
import { commandOrigin } from '../platform/audit/origin';
import { AuthenticationMode, ChannelProof } from '../touchpoints/touchpoint.entity';
import { TouchpointsService } from '../touchpoints/touchpoints.service';
import { warnOfReservedLogin } from './touchpoint-options';
import { type SettingsOptions, TouchpointSettingsCommand } from './touchpoint-settings.command';
import { issuedKeyView } from './touchpoint-view';

@SubCommand({ name: 'create', description: 'Create a touchpoint and print its key, this once' })
export class TouchpointCreateCommand extends TouchpointSettingsCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run(_: string[], options: SettingsOptions & { code: string }): Promise<void> {
    const settings = {
      name: options.name ?? options.code,
      authenticationMode: options.authMode ?? AuthenticationMode.Password,
      channelProof: options.channelProof ?? ChannelProof.None,
      rateLimit: options.rateLimit ?? null,
      smsCountries: options.smsCountries ?? [],
    };
    const issued = await this.touchpoints.create(options.code, settings, commandOrigin());
    warnOfReservedLogin(options.authMode);
    this.print(issuedKeyView(issued), options);
  }

  @Option({ flags: '--code <code>', description: '3 to 64 of a-z, 0-9 and -', required: true })
  parseCode(value: string): string {
    return value;
  }
}
