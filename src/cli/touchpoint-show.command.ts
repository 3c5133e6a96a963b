import { SubCommand } from 'nest-commander';
import { TouchpointsService } from '../touchpoints/touchpoints.service';
import { JsonCommand } from './json-command';
import { touchpointView } from './touchpoint-view';

@SubCommand({ name: 'show', arguments: '<code>', description: 'Show a touchpoint' })
export class TouchpointShowCommand extends JsonCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run([code = '']: string[], options: { json?: boolean }): Promise<void> {
    this.print(touchpointView(await this.touchpoints.get(code)), options);
  }
}
