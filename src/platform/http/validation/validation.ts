import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { type FieldError, validationFailed } from '../../errors/api-error';
import type { FieldErrorCode } from '../../errors/error-catalog';

type Class<T> = new () => T;

/** What a field decorator says about a violation, for the answer. */
export interface ViolationContext {
  code: FieldErrorCode;
  params?: Record<string, string | number>;
}

/** A body as a DTO: its fields hold what the client sent, valid or not, until it is accepted. */
export class Draft<T extends object> {
  constructor(
    readonly fields: T,
    private readonly shapeViolations: FieldError[],
  ) {}

  /** The valid body; otherwise refused with all violations at once, those of its shape and these. */
  accept(furtherViolations: FieldError[] = []): T {
    const known = new Set(this.shapeViolations.map((error) => error.field));
    const errors = [...this.shapeViolations, ...furtherViolations.filter((error) => !known.has(error.field))];
    if (errors.length > 0) throw validationFailed(errors);
    return this.fields;
  }
}

/** The body as `Dto`, its unknown properties dropped. */
export function draftOf<T extends object>(Dto: Class<T>, body: unknown): Draft<T> {
  const fields = plainToInstance(Dto, withoutConstructors(body));
  const violations = validateSync(fields, { whitelist: true, forbidUnknownValues: true });
  return new Draft(
    fields,
    violations.flatMap((error) => fieldErrors(error)),
  );
}

/** The fields of `candidate` that the rules of `Dto` accept, in their stored form. */
export function acceptableFields<T extends object>(Dto: Class<T>, candidate: object): Partial<T> {
  const draft = plainToInstance(Dto, withoutConstructors(candidate) as object);
  const refused = new Set(validateSync(draft, { whitelist: true }).map(({ property }) => property));
  const accepted = Object.entries(draft).filter(
    ([field, value]) => value !== undefined && value !== null && !refused.has(field),
  );
  return Object.fromEntries(accepted) as Partial<T>;
}

/** What the client sent, looked up by the copy that class-transformer sees. */
const originals = new WeakMap<object, object>();

/** The value as the client sent it, for a `Transform` that keeps every member's name. */
export const asSent = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (originals.get(value) ?? value) : value;

/** A copy without members named `constructor`, which class-transformer would call. */
function withoutConstructors(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutConstructors);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'constructor');
  const copy = Object.fromEntries(members.map(([name, member]) => [name, withoutConstructors(member)]));
  originals.set(copy, value);
  return copy;
}

function fieldErrors({ property, value, constraints, contexts, children }: ValidationError, path = ''): FieldError[] {
  const field = `${path}${property}`;
  const nested = (children ?? []).flatMap((child) => fieldErrors(child, `${field}.`));
  if (!constraints) return nested;
  if (value === undefined || value === null) return [{ field, code: 'REQUIRED', message: 'is required' }];
  const own = Object.entries(constraints).map(([name, message]): FieldError => {
    const { code, params } = (contexts?.[name] ?? { code: 'INVALID_TYPE' }) as ViolationContext;
    return { field, code, message, ...(params && { params }) };
  });
  const wrongType = own.find((error) => error.code === 'INVALID_TYPE');
  return wrongType ? [wrongType] : [...own, ...nested];
}
