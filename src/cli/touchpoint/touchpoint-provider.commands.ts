import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type {
  IdentityProvidersService,
  NewIdentityProvider,
} from '../../touchpoints/identity-providers/identity-providers.service';
import { command, commandGroup, type CommonOptions } from '../command';
import { OptionError } from '../option-values';
import { printResult } from '../output';
import { withServices } from '../services';

interface AddOptions extends CommonOptions {
  issuer: string;
  audience: string;
  jwksUri?: string;
  jwksFile?: string;
  trustEmail?: boolean;
}

export const touchpointProviderCommands = (): Command =>
  commandGroup(
    'provider',
    'Manage the issuers of assertions that a touchpoint trusts',
    [add(), list(), remove()],
    [
      'touchpoint provider add shop --issuer https://login.example.com --audience shop --jwks-uri https://login.example.com/keys',
      'touchpoint provider list shop',
    ],
  );

const add = (): Command =>
  command('add', 'Trust an issuer of assertions')
    .argument('<code>')
    .requiredOption('--issuer <url>', 'exactly the claim iss')
    .requiredOption('--audience <name>', 'what the claim aud must hold')
    .option('--jwks-uri <url>', 'where the issuer publishes its keys')
    .option('--jwks-file <path>', 'its public keys, a JWK Set')
    .option('--trust-email', 'e-mail addresses that it calls verified count as verified here')
    .action(async (code: string, options: AddOptions) => {
      const { issuer, audience, trustEmail = false } = options;
      const provider = { issuer, audience, keys: await keysFrom(options), trustsEmail: trustEmail };
      const { commandOrigin } = await import('../../audit/origin.js');
      await administer(options, (providers) => providers.add(code, provider, commandOrigin()));
    });

const list = (): Command =>
  command('list', 'List the issuers that a touchpoint trusts')
    .argument('<code>')
    .action((code: string, options: CommonOptions) => administer(options, (providers) => providers.list(code)));

const remove = (): Command =>
  command('remove', 'Stop trusting an issuer')
    .argument('<code>')
    .requiredOption('--issuer <url>', 'exactly as it was named')
    .action(async (code: string, options: CommonOptions & { issuer: string }) => {
      const { commandOrigin } = await import('../../audit/origin.js');
      await administer(options, (providers) => providers.remove(code, options.issuer, commandOrigin()));
    });

/** Prints the resulting providers. */
async function administer(
  options: CommonOptions,
  task: (providers: IdentityProvidersService) => ReturnType<IdentityProvidersService['list']>,
): Promise<void> {
  const { IdentityProvidersService } =
    await import('../../touchpoints/identity-providers/identity-providers.service.js');
  const { TouchpointAdministrationModule } =
    await import('../../touchpoints/administration/touchpoint-administration.module.js');
  const { providersView } = await import('../../touchpoints/administration/touchpoint-view.js');
  await withServices({ imports: [TouchpointAdministrationModule] }, async (services) => {
    printResult(providersView(await task(services.get(IdentityProvidersService))), options);
  });
}

async function keysFrom({ jwksUri, jwksFile }: AddOptions): Promise<NewIdentityProvider['keys']> {
  if (jwksUri !== undefined && jwksFile === undefined) return { uri: jwksUri };
  if (jwksUri !== undefined || jwksFile === undefined) {
    throw new OptionError('Name either --jwks-uri or --jwks-file');
  }
  try {
    return { file: await readFile(jwksFile, 'utf8') };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new OptionError(`--jwks-file: ${jwksFile} cannot be read (${String(code)})`, { cause });
  }
}
