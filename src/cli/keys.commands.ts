import { Command, Option, SubCommand } from 'nest-commander';
import { JwtKeyRotation } from '../auth/jwt-key-rotation';
import { CommandGroup } from './command-group';
import { JsonCommand } from './json-command';
import { parseDuration } from './option-values';

/** Longer than backends may keep the public keys. */
const DEFAULT_OVERLAP_SECONDS = 300;

@SubCommand({ name: 'generate', description: 'Add a key that signs customer tokens when the overlap has passed' })
export class KeysGenerateCommand extends JsonCommand {
  constructor(private readonly rotation: JwtKeyRotation) {
    super();
  }

  async run(_: string[], options: { json?: boolean; overlap?: number }): Promise<void> {
    this.print(await this.rotation.generate(options.overlap ?? DEFAULT_OVERLAP_SECONDS), options);
  }

  @Option({ flags: '--overlap <duration>', description: 'how long the key is known before it signs (default: 5m)' })
  parseOverlap(value: string): number {
    return parseDuration('--overlap', value);
  }
}

@SubCommand({ name: 'list', description: 'List the keys of customer tokens' })
export class KeysListCommand extends JsonCommand {
  constructor(private readonly rotation: JwtKeyRotation) {
    super();
  }

  async run(_: string[], options: { json?: boolean }): Promise<void> {
    this.print(await this.rotation.list(), options);
  }
}

@Command({
  name: 'keys',
  description: 'Look after the keys of customer tokens',
  subCommands: [KeysGenerateCommand, KeysListCommand],
})
export class KeysCommand extends CommandGroup {}
