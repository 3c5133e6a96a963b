import { SubCommand } from 'nest-commander';
import { commandOrigin } from '../platform/audit/origin';
import { TouchpointsService } from '../touchpoints/touchpoints.service';
import { JsonCommand } from './json-command';
import { touchpointView } from './touchpoint-view';

@SubCommand({ name: 'disable', arguments: '<code>', description: 'Refuse a touchpoint from its next request on' })
export class TouchpointDisableCommand extends JsonCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run([code = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(touchpointView(await this.touchpoints.update(code, { enabled: false }, commandOrigin())), options);
  }
}

@SubCommand({ name: 'enable', arguments: '<code>', description: 'Accept a disabled touchpoint again' })
export class TouchpointEnableCommand extends JsonCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run([code = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(touchpointView(await this.touchpoints.update(code, { enabled: true }, commandOrigin())), options);
  }
}
