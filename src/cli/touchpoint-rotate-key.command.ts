import { Option, SubCommand } from 'nest-commander';
import { commandOrigin } from '../platform/audit/origin';
import { TouchpointsService } from '../touchpoints/touchpoints.service';
import { JsonCommand } from './json-command';
import { parseDuration } from './option-values';
import { issuedKeyView } from './touchpoint-view';

@SubCommand({ name: 'rotate-key', arguments: '<code>', description: 'Print a new key, this once' })
export class TouchpointRotateKeyCommand extends JsonCommand {
  constructor(private readonly touchpoints: TouchpointsService) {
    super();
  }

  async run([code = '']: string[], options: { json?: boolean; overlap?: number }): Promise<void> {
    this.print(issuedKeyView(await this.touchpoints.rotateKey(code, options.overlap ?? 0, commandOrigin())), options);
  }

  @Option({ flags: '--overlap <duration>', description: 'how long the present key works on, such as 24h (default: 0)' })
  parseOverlap(value: string): number {
    return parseDuration('--overlap', value);
  }
}
