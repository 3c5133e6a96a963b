import type { Command } from 'commander';
import { command, commandGroup, type CommonOptions } from './command';
import { OptionError, parseDuration } from './option-values';
import { printResult } from './output';
import { withServices } from './services';

/** Longer than backends may cache the public keys: with a shorter overlap they would refuse valid tokens. */
const MIN_OVERLAP_SECONDS = 300;

export const keysCommands = (): Command =>
  commandGroup(
    'keys',
    'Manage the keys of customer tokens',
    [generate(), list()],
    ['keys generate', 'keys generate --overlap 0', 'keys list'],
  );

const generate = (): Command =>
  command('generate', 'Add a key that signs customer tokens when the overlap has passed')
    .option(
      '--overlap <duration>',
      'how long the key is known before it signs: 5m (the default) or more, or 0 when a key has leaked',
      parseOverlap,
    )
    .action(async (options: CommonOptions & { overlap?: number }) => {
      const { DataSource } = await import('typeorm');
      const { AuditService } = await import('../audit/audit.service.js');
      const { commandOrigin } = await import('../audit/origin.js');
      const { AuditModule } = await import('../audit/audit.module.js');
      const { JwtKeyRotation, providers } = await keyServices();
      await withServices({ imports: [AuditModule], providers }, async (services) => {
        const generated = await services.get(JwtKeyRotation).generate(options.overlap ?? MIN_OVERLAP_SECONDS);
        const { kid, dropped } = generated;
        // The keys are in a file, outside any transaction: the act is recorded after it has happened.
        const act = { type: 'jwt-key.generated', details: { kid, dropped } } as const;
        await services.get(AuditService).record(services.get(DataSource).manager, commandOrigin(), act);
        printResult(generated, options);
      });
    });

const list = (): Command =>
  command('list', 'List the keys of customer tokens').action(async (options: CommonOptions) => {
    const { JwtKeyRotation, providers } = await keyServices();
    await withServices({ providers }, async (services) => {
      printResult(await services.get(JwtKeyRotation).list(), options);
    });
  });

async function keyServices() {
  const { JwtKeyRotation } = await import('../auth/keys/jwt-key-rotation.js');
  const { JwtKeysFile } = await import('../auth/keys/jwt-keys-file.js');
  return { JwtKeyRotation, providers: [JwtKeyRotation, JwtKeysFile] };
}

function parseOverlap(value: string): number {
  const seconds = parseDuration('--overlap', value);
  if (seconds > 0 && seconds < MIN_OVERLAP_SECONDS) {
    throw new OptionError(
      '--overlap must be 5m or more, since backends keep the public keys; or 0 when a key has leaked',
    );
  }
  return seconds;
}
