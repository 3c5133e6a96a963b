import { InjectDataSource } from '@nestjs/typeorm';
import { Command, Option, SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import { JwtKeyRotation } from '../auth/jwt-key-rotation';
import { AuditService } from '../platform/audit/audit.service';
import { commandOrigin } from '../platform/audit/origin';
import { CommandGroup } from './command-group';
import { JsonCommand } from './json-command';
import { OptionError, parseDuration } from './option-values';

/** Longer than backends may keep the public keys: a shorter overlap would make them refuse good tokens. */
const MIN_OVERLAP_SECONDS = 300;

@SubCommand({ name: 'generate', description: 'Add a key that signs customer tokens when the overlap has passed' })
class KeysGenerateCommand extends JsonCommand {
  constructor(
    private readonly rotation: JwtKeyRotation,
    private readonly audit: AuditService,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    super();
  }

  async run(_: string[], options: { json?: boolean; overlap?: number }): Promise<void> {
    const generated = await this.rotation.generate(options.overlap ?? MIN_OVERLAP_SECONDS);
    const { kid, dropped } = generated;
    // The keys are in a file, which no transaction can hold: what is recorded has happened.
    const act = { type: 'jwt-key.generated', details: { kid, dropped } } as const;
    await this.audit.record(this.dataSource.manager, commandOrigin(), act);
    this.print(generated, options);
  }

  @Option({
    flags: '--overlap <duration>',
    description: 'how long the key is known before it signs: 5m (the default) or more, or 0 when a key has leaked',
  })
  parseOverlap(value: string): number {
    const seconds = parseDuration('--overlap', value);
    if (seconds > 0 && seconds < MIN_OVERLAP_SECONDS) {
      throw new OptionError(
        '--overlap must be 5m or more, since backends keep the public keys; or 0 when a key has leaked',
      );
    }
    return seconds;
  }
}

@SubCommand({ name: 'list', description: 'List the keys of customer tokens' })
class KeysListCommand extends JsonCommand {
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
