import type { Command } from 'commander';
import type { ForeignOptions } from '../../consumers/transfer/foreign/foreign-format';
import { OptionError } from '../option-values';

const SYSTEMS: ForeignOptions['from'][] = ['keycloak', 'auth0', 'firebase', 'supabase', 'kratos', 'csv'];

/** What `--map` can fill; `name` is a first and last name in one. */
const FIELDS = [
  ...['firstName', 'lastName', 'name', 'email', 'phone', 'birthDate', 'locale', 'passwordHash', 'customerId'],
  ...['emailVerifiedAt', 'phoneVerifiedAt', 'createdAt', 'updatedAt', 'disabledAt'],
];

/** The options of an import that only the export of another system has. */
export interface ForeignFlags {
  from?: string;
  firebaseParameters?: string;
  auth0Passwords?: string;
  map?: string[];
  issuer?: string[];
  formerIssuer?: string;
  missingName?: string;
}

export const withForeignOptions = (command: Command): Command =>
  command
    .option('--from <system>', `the file is an export of ${SYSTEMS.slice(0, -1).join(', ')}, or plain csv`)
    .option('--firebase-parameters <file>', 'the password hash parameters of the Firebase project')
    .option('--auth0-passwords <file>', 'the export of password hashes that Auth0’s support made')
    .option('--map <theirs=ours>', 'take a member or column of theirs as a field of ours (repeatable)', collect)
    .option('--issuer <theirs=url>', 'the issuer behind their name of an identity provider (repeatable)', collect)
    .option('--former-issuer <url>', 'link each consumer to the old id, as a subject of this issuer')
    .option('--missing-name <text>', 'stands for a first or last name that is missing, instead of a refusal');

/** Null for an import of our own format. */
export function foreignOptions(flags: ForeignFlags): ForeignOptions | null {
  const { firebaseParameters, auth0Passwords, map = [], issuer = [], formerIssuer, missingName } = flags;
  const others = { firebaseParameters, auth0Passwords, map: map[0], issuer: issuer[0], formerIssuer, missingName };
  const [given] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (flags.from === undefined) {
    if (given !== undefined) throw new OptionError(`${flagOf(given)} needs --from`);
    return null;
  }
  const from = SYSTEMS.find((system) => system === flags.from);
  if (from === undefined) throw new OptionError(`--from must be one of ${SYSTEMS.join(', ')}`);
  if (firebaseParameters !== undefined && from !== 'firebase') throw belongsTo('firebase', 'firebaseParameters');
  if (auth0Passwords !== undefined && from !== 'auth0') throw belongsTo('auth0', 'auth0Passwords');
  return {
    from,
    firebaseParameters: firebaseParameters ?? null,
    auth0Passwords: auth0Passwords ?? null,
    map: map.map((value) => pairOf('--map', value)).map(([theirs, ours]) => ({ from: theirs, to: fieldOf(ours) })),
    issuers: new Map(issuer.map((value) => pairOf('--issuer', value))),
    formerIssuer: formerIssuer ?? null,
    missingName: missingName ?? null,
  };
}

const collect = (value: string, former: string[] = []): string[] => [...former, value];

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const belongsTo = (system: string, name: string): OptionError =>
  new OptionError(`${flagOf(name)} belongs to --from ${system}`);

/** What stands before the first equals sign, and after it. */
function pairOf(flag: string, value: string): [string, string] {
  const [, theirs, ours] = /^(.+?)=([^=].*)$/s.exec(value) ?? [];
  if (theirs === undefined || ours === undefined) throw new OptionError(`${flag} must be such as theirs=ours`);
  return [theirs, ours];
}

function fieldOf(name: string): string {
  if (FIELDS.includes(name) || /^(?:address|attributes)\.[^.]+$/.test(name)) return name;
  throw new OptionError(`--map cannot fill ${name}: it must be ${FIELDS.join(', ')}, address.… or attributes.…`);
}
