import { SubCommand } from 'nest-commander';
import { TouchpointsService } from '../touchpoints/touchpoints.service';
import { JsonCommand } from './json-command';
import { touchpointView } from './touchpoint-view';

@SubCommand({ name: 'list', description: 'List the touchpoints' })
export class TouchpointListCommand extends JsonCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run(_: string[], options: { json?: boolean }): Promise<void> {
    this.print((await this.touchpoints.list()).map(touchpointView), options);
  }
}
