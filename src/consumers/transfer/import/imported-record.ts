import type { ImportedAccount } from '../../../auth/imported-accounts';
import { ApiError, type FieldError } from '../../../platform/errors/api-error';
import { parseStrictJson } from '../../../platform/http/body/strict-json';
import { draftOf } from '../../../platform/http/validation/validation';
import { newId } from '../../../platform/random';
import type { Consumer } from '../../../profiles/consumer.entity';
import { mergeAddress, mergeAttributes } from '../../../profiles/merge-patch';
import { isObject } from '../../../profiles/profile.fields';
import { profileViolations } from '../../../profiles/profile-rules';
import type { FoundRecord } from '../found-record';
import type { ImportFormat } from './import-format';
import { type ImportedExternalIdentityDto, ImportedRecordDto } from './imported-record.dto';
import { type RecordError, wholeError } from '../record-error';

const DAY_MS = 86_400_000;
const TIMES = ['emailVerifiedAt', 'phoneVerifiedAt', 'createdAt', 'updatedAt', 'disabledAt'] as const;

/** A valid record in the form in which it is stored. */
export interface ImportedRecord {
  consumer: Consumer;
  account: ImportedAccount;
  /** The record names its own id, which may be taken. */
  hasOwnId: boolean;
  /** The names of what the other system keeps of the consumer, and we cannot. */
  notKept: string[];
}

export interface RecordContext {
  now: Date;
  canVerify: (passwordHash: string) => boolean;
}

/** The consumer in a record, or all that is wrong with it. */
export function readRecord(
  { content }: FoundRecord,
  format: ImportFormat,
  context: RecordContext,
): ImportedRecord | RecordError[] {
  if (Array.isArray(content)) return content;
  try {
    const { members, notKept, errors } = format.translate(parseStrictJson(content));
    if (errors.length > 0) return errors;
    const given = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
    const draft = draftOf(ImportedRecordDto, { type: 'PERSON', ...Object.fromEntries(given) });
    return { ...recordOf(draft.accept(violations(draft.fields, context)), context.now), notKept };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'VALIDATION_FAILED') return error.errors ?? [];
    return [wholeError('MALFORMED_JSON', (error.detail ?? '').replace(/^The body/, 'The record'))];
  }
}

function violations(draft: ImportedRecordDto, { now, canVerify }: RecordContext): FieldError[] {
  const { password, passwordHash } = draft;
  const latest = new Date(now.getTime() + DAY_MS).toISOString();
  return [
    ...profileViolations(draft, now),
    ...(['email', 'phone'] as const).flatMap((kind) => verificationViolations(draft, kind)),
    // Clocks and time zones differ: a day in the future is accepted.
    ...TIMES.filter((field) => typeof draft[field] === 'string' && draft[field] > latest).map((field): FieldError => ({
      field,
      code: 'INVALID_VALUE',
      message: 'must not be in the future',
    })),
    ...linkViolations(draft, latest),
    ...(password === undefined
      ? []
      : [{ field: 'password', code: 'FORBIDDEN' as const, message: 'only passwordHash is imported' }]),
    ...(typeof passwordHash !== 'string' || canVerify(passwordHash)
      ? []
      : [{ field: 'passwordHash', code: 'INVALID_VALUE' as const, message: 'its APP_SECRET is not accepted here' }]),
  ];
}

function verificationViolations(draft: ImportedRecordDto, kind: 'email' | 'phone'): FieldError[] {
  const isVerified = draft[`${kind}Verified`];
  const verifiedAt = draft[`${kind}VerifiedAt`];
  if (isVerified === false && verifiedAt !== undefined) {
    const message = `contradicts ${kind}VerifiedAt`;
    return [{ field: `${kind}Verified`, code: 'INVALID_VALUE', message }];
  }
  const isMissing = draft[kind] === undefined && (isVerified === true || verifiedAt !== undefined);
  return isMissing ? [{ field: kind, code: 'REQUIRED', message: 'is required' }] : [];
}

/** Checked only if the list is well formed. */
function linkViolations({ externalIdentities }: ImportedRecordDto, latest: string): FieldError[] {
  if (!Array.isArray(externalIdentities)) return [];
  const invalid = (message: string): FieldError => ({ field: 'externalIdentities', code: 'INVALID_VALUE', message });
  const links = externalIdentities.filter((link: unknown): link is ImportedExternalIdentityDto => isObject(link));
  const names = links.map(({ issuer, subject }) => JSON.stringify([issuer, subject]));
  return [
    ...(new Set(names).size < names.length ? [invalid('must not hold the same one twice')] : []),
    ...(links.some(({ linkedAt }) => typeof linkedAt === 'string' && linkedAt > latest)
      ? [invalid('must not be linked in the future')]
      : []),
  ];
}

function recordOf(dto: ImportedRecordDto, now: Date): Omit<ImportedRecord, 'notKept'> {
  const { type, firstName, lastName, birthDate, locale, email, phone } = dto;
  const id = dto.customerId ?? newId();
  const verifiedAt = (kind: 'email' | 'phone'): Date | null => {
    const time = dto[`${kind}VerifiedAt`];
    return time === undefined ? (dto[`${kind}Verified`] === true ? now : null) : new Date(time);
  };
  const [createdAt = now, updatedAt = createdAt] = [dto.createdAt ?? dto.updatedAt, dto.updatedAt].map(toDate);
  return {
    consumer: {
      id,
      type,
      firstName,
      lastName,
      birthDate: birthDate ?? null,
      locale: locale ?? null,
      address: mergeAddress(null, dto.address ?? null),
      attributes: mergeAttributes(null, dto.attributes ?? null),
      createdAt,
      updatedAt,
      disabledAt: toDate(dto.disabledAt) ?? null,
    },
    account: {
      consumerId: id,
      email: email ?? null,
      emailVerifiedAt: verifiedAt('email'),
      phone: phone ?? null,
      phoneVerifiedAt: verifiedAt('phone'),
      passwordHash: dto.passwordHash ?? null,
      externalIdentities: (dto.externalIdentities ?? []).map(({ issuer, subject, linkedAt }) => ({
        issuer,
        subject,
        linkedAt: toDate(linkedAt) ?? now,
      })),
    },
    hasOwnId: dto.customerId !== undefined,
  };
}

const toDate = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
