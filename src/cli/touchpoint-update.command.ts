import { SubCommand } from 'nest-commander';
import { commandOrigin } from '../platform/audit/origin';
import { TouchpointsService } from '../touchpoints/touchpoints.service';
import { warnOfReservedLogin } from './touchpoint-options';
import { type SettingsOptions, TouchpointSettingsCommand } from './touchpoint-settings.command';
import { touchpointView } from './touchpoint-view';

@SubCommand({ name: 'update', arguments: '<code>', description: 'Change what is given of a touchpoint' })
export class TouchpointUpdateCommand extends TouchpointSettingsCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run([code = '']: string[], options: SettingsOptions): Promise<void> {
    const { name, authMode, channelProof, rateLimit, smsCountries } = options;
    const touchpoint = await this.touchpoints.update(
      code,
      {
        ...(name !== undefined && { name }),
        ...(authMode !== undefined && { authenticationMode: authMode }),
        ...(channelProof !== undefined && { channelProof }),
        ...(rateLimit !== undefined && { rateLimit }),
        ...(smsCountries !== undefined && { smsCountries }),
      },
      commandOrigin(),
    );
    warnOfReservedLogin(authMode);
    this.print(touchpointView(touchpoint), options);
  }
}
