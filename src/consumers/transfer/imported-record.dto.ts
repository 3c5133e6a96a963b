import { Transform } from 'class-transformer';
import { IsOptional, isUUID } from 'class-validator';
import { canonicalPasswordHash } from '../../auth/password-hash-format';
import { compose, IsText, rule, TextRule } from '../../platform/http/fields';
import { Canonical, isCalendarDate } from '../profile.fields';
import { RegisterDto } from '../register.dto';

const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

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
  @IsTimestamp()
  createdAt?: string;

  @IsOptional()
  @IsTimestamp()
  updatedAt?: string;
}

function IsCustomerId(): PropertyDecorator {
  return compose(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    IsText(),
    TextRule('INVALID_FORMAT', 'must be a UUID', (value) => isUUID(value)),
  );
}

function IsFlag(): PropertyDecorator {
  return rule('INVALID_TYPE', 'must be true or false', (value) => typeof value === 'boolean');
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
      'must be a bcrypt hash ($2a$, $2b$ or $2y$) of cost 4 to 16, or one of an export',
      (value) => canonicalPasswordHash(value) !== null,
    ),
  );
}

function canonicalTimestamp(text: string): string | null {
  const [, date] = RFC_3339.exec(text) ?? [];
  if (date === undefined || !isCalendarDate(date)) return null;
  const timestamp = new Date(text).toISOString();
  return /^(?!0000)\d{4}-/.test(timestamp) ? timestamp : null;
}
