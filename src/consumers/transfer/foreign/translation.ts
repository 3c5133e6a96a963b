import { isUUID } from 'class-validator';
import type { ImportFormat, Translation } from '../import/import-format';
import type { DescribeUser, ForeignUser } from './foreign-user';
import { Members } from './members';
import { splitName } from './names';
import { localeText, timeText } from './values';

/** What the administrator decides about a foreign format. */
export interface TranslationOptions {
  /** Members of the other system that become fields of ours. */
  map: { from: string; to: string }[];
  /** The issuers of assertions, by the other system's names for them. */
  issuers: Map<string, string>;
  /** As which issuer the other system itself is known here. */
  formerIssuer: string | null;
  /** Stands for a first or last name that is missing. */
  missingName: string | null;
}

/** Whose subjects mean the same everywhere. */
const KNOWN_ISSUERS: [name: string, issuer: string][] = [
  ...['google', 'google.com', 'google-oauth2'].map((name): [string, string] => [name, 'https://accounts.google.com']),
  ...['apple', 'apple.com'].map((name): [string, string] => [name, 'https://appleid.apple.com']),
];

/** The `translate` of a format whose users are described so. */
export function translatorOf(
  describe: DescribeUser,
  options: TranslationOptions,
  now: Date,
): ImportFormat['translate'] {
  const issuers = new Map([...KNOWN_ISSUERS, ...options.issuers]);
  return (record): Translation => {
    const members = new Members(record);
    const user = describe(members, now);
    const fields: Record<string, unknown> = {
      ...user.fields,
      ...contactsOf(user),
      ...times(user, now),
      locale: localeText(user.locale),
      passwordHash: user.passwordHash,
      firstName: user.firstName,
      lastName: user.lastName,
      name: user.name,
      externalIdentities: linksOf(user, issuers, members),
    };
    if (user.locale !== undefined && fields.locale === undefined) members.leave('locale');
    takeOldId(user, fields, options, members);
    for (const { from, to } of options.map) assign(fields, to, members.at(from));
    fillNames(fields, options.missingName);
    return { members: fields, notKept: members.leftovers(), errors: user.errors ?? [] };
  };
}

/** What is said to be proven of an address that is not there proves nothing. */
function contactsOf(user: ForeignUser): Record<string, unknown> {
  const { email, emailVerified, emailVerifiedAt, phone, phoneVerified, phoneVerifiedAt } = user;
  return {
    ...(email !== undefined && { email, emailVerified, emailVerifiedAt: timeText(emailVerifiedAt) }),
    ...(phone !== undefined && { phone, phoneVerified, phoneVerifiedAt: timeText(phoneVerifiedAt) }),
  };
}

const times = ({ createdAt, updatedAt, isDisabled }: ForeignUser, now: Date): Record<string, unknown> => ({
  createdAt: timeText(createdAt),
  updatedAt: timeText(updatedAt),
  // No other system says since when.
  ...(isDisabled && { disabledAt: now.toISOString() }),
});

function linksOf(user: ForeignUser, issuers: Map<string, string>, members: Members): object[] | undefined {
  const links = (user.identities ?? []).flatMap(({ provider, subject, linkedAt }) => {
    const issuer = issuers.get(provider);
    if (issuer === undefined) members.leave(`identity:${provider}`);
    return issuer === undefined ? [] : [{ issuer, subject: textOfNumber(subject), linkedAt: timeText(linkedAt) }];
  });
  return links.length === 0 ? undefined : links;
}

/** A UUID stays the consumer's id. */
function takeOldId(
  { id }: ForeignUser,
  fields: Record<string, unknown>,
  { formerIssuer }: TranslationOptions,
  members: Members,
): void {
  if (id === undefined) return;
  if (typeof id === 'string' && isUUID(id)) fields.customerId = id;
  else if (formerIssuer === null) members.leave('id');
  if (formerIssuer === null) return;
  const links = (fields.externalIdentities ?? []) as object[];
  fields.externalIdentities = [{ issuer: formerIssuer, subject: id }, ...links];
}

/** `to` may be a member of `address` or `attributes`. */
function assign(fields: Record<string, unknown>, to: string, value: unknown): void {
  if (value === undefined || value === null) return;
  const [field = '', inner] = to.split('.', 2);
  if (inner === undefined) fields[field] = field.endsWith('At') ? timeText(value) : value;
  else fields[field] = { ...(fields[field] as object | undefined), [inner]: value };
}

function fillNames(fields: Record<string, unknown>, missingName: string | null): void {
  const { name } = fields;
  delete fields.name;
  const split = typeof name === 'string' ? splitName(name) : {};
  for (const field of ['firstName', 'lastName'] as const) {
    const given = fields[field];
    const isMissing = given === undefined || (typeof given === 'string' && given.trim() === '');
    if (isMissing) fields[field] = split[field] ?? missingName ?? undefined;
  }
}

const textOfNumber = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);
