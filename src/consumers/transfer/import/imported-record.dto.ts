import { Transform, Type } from 'class-transformer';
import { IsOptional, isUUID, ValidateNested } from 'class-validator';
import { canonicalPasswordHash, isTooDear } from '../../../auth/passwords/password-hash-format';
import { compose, IsFlag, IsText, rule, TextRule } from '../../../platform/http/validation/fields';
import { Canonical, isCalendarDate, isObject } from '../../../profiles/profile.fields';
import { RegisterDto } from '../../registration/register.dto';

const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A subject of an issuer of assertions, as whom the consumer can log in. */
export class ImportedExternalIdentityDto {
  @IsExternalText()
  issuer: string;

  @IsExternalText()
  subject: string;

  @IsOptional()
  @IsTimestamp()
  linkedAt?: string;
}

/** One line of an import: the fields of a registration, and what only another system's administrator can know. */
export class ImportedRecordDto extends RegisterDto {
  @IsOptional()
  @IsCustomerId()
  customerId?: string;

  @IsOptional()
  @IsFlag()
  emailVerified?: boolean;

  @IsOptional()
  @IsTimestamp()
  emailVerifiedAt?: string;

  @IsOptional()
  @IsFlag()
  phoneVerified?: boolean;

  @IsOptional()
  @IsTimestamp()
  phoneVerifiedAt?: string;

  @IsOptional()
  @IsPasswordHash()
  passwordHash?: string;

  @IsOptional()
  @rule('INVALID_TYPE', 'must be a list of objects', (value) => Array.isArray(value) && value.every(isObject))
  @ValidateNested({ each: true })
  @Type(() => ImportedExternalIdentityDto)
  externalIdentities?: ImportedExternalIdentityDto[];

  @IsOptional()
  @IsTimestamp()
  createdAt?: string;

  @IsOptional()
  @IsTimestamp()
  updatedAt?: string;

  @IsOptional()
  @IsTimestamp()
  disabledAt?: string;
}

function IsCustomerId(): PropertyDecorator {
  return compose(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    IsText(),
    TextRule('INVALID_FORMAT', 'must be a UUID', (value) => isUUID(value)),
  );
}

/** What an assertion may have as `iss` and `sub`. */
function IsExternalText(): PropertyDecorator {
  return compose(
    IsText(),
    TextRule('TOO_SHORT', 'must not be empty', (value) => value.length >= 1, { min: 1 }),
    TextRule('TOO_LONG', 'must have at most 255 characters', (value) => value.length <= 255, { max: 255 }),
  );
}

/** Becomes UTC with milliseconds; finer fractions are cut off. */
function IsTimestamp(): PropertyDecorator {
  return compose(
    Canonical(canonicalTimestamp),
    IsText(),
    TextRule(
      'INVALID_FORMAT',
      'must be a time such as 2026-01-31T12:00:00.000Z',
      (value) => canonicalTimestamp(value) !== null,
    ),
  );
}

function IsPasswordHash(): PropertyDecorator {
  return compose(
    Canonical(canonicalPasswordHash),
    IsText(),
    TextRule(
      'INVALID_FORMAT',
      'must be a hash of a known form, or one of an export',
      (value) => canonicalPasswordHash(value) !== null,
    ),
    TextRule('INVALID_VALUE', 'must not cost more time or memory than the limits allow', (value) => !isTooDear(value)),
  );
}

function canonicalTimestamp(text: string): string | null {
  const [, date] = RFC_3339.exec(text) ?? [];
  if (date === undefined || !isCalendarDate(date)) return null;
  const timestamp = new Date(text).toISOString();
  return /^(?!0000)\d{4}-/.test(timestamp) ? timestamp : null;
}
