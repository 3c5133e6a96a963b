import { readFile } from 'node:fs/promises';
import { Option, SubCommand } from 'nest-commander';
import { commandOrigin } from '../platform/audit/origin';
import { IdentityProvidersService, type NewIdentityProvider } from '../touchpoints/identity-providers.service';
import { JsonCommand } from './json-command';
import { OptionError } from './option-values';
import { providersView } from './touchpoint-view';

interface AddOptions {
  json?: boolean;
  issuer: string;
  audience: string;
  jwksUri?: string;
  jwksFile?: string;
  trustEmail?: boolean;
}

@SubCommand({ name: 'add', arguments: '<code>', description: 'Trust an issuer of assertions' })
export class TouchpointProviderAddCommand extends JsonCommand {
  constructor(private readonly providers: IdentityProvidersService) {
    super();
  }

  async run([code = '']: string[], options: AddOptions): Promise<void> {
    const { issuer, audience, trustEmail = false } = options;
    const provider = { issuer, audience, keys: await keysFrom(options), trustsEmail: trustEmail };
    this.print(providersView(await this.providers.add(code, provider, commandOrigin())), options);
  }

  @Option({ flags: '--issuer <url>', description: 'exactly the claim iss', required: true })
  parseIssuer(value: string): string {
    return value;
  }

  @Option({ flags: '--audience <name>', description: 'what the claim aud must hold', required: true })
  parseAudience(value: string): string {
    return value;
  }

  @Option({ flags: '--jwks-uri <url>', description: 'where the issuer publishes its keys' })
  parseJwksUri(value: string): string {
    return value;
  }

  @Option({ flags: '--jwks-file <path>', description: 'its public keys, a JWK Set' })
  parseJwksFile(value: string): string {
    return value;
  }

  @Option({ flags: '--trust-email', description: 'e-mail addresses that it calls verified count as verified here' })
  parseTrustEmail(): boolean {
    return true;
  }
}

async function keysFrom({ jwksUri, jwksFile }: AddOptions): Promise<NewIdentityProvider['keys']> {
  if (jwksUri !== undefined && jwksFile === undefined) return { uri: jwksUri };
  if (jwksUri !== undefined || jwksFile === undefined) {
    throw new OptionError('Name either --jwks-uri or --jwks-file');
  }
  try {
    return { file: await readFile(jwksFile, 'utf8') };
  } catch (cause) {
    throw new OptionError(
      `--jwks-file: ${jwksFile} cannot be read (${String((cause as NodeJS.ErrnoException).code)})`,
      {
        cause,
      },
    );
  }
}
