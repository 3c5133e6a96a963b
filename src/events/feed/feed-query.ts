import { type FieldError, validationFailed } from '../../platform/errors/api-error';
import { type EventType, typesFor } from '../log/event-types';
import type { Subscriber } from '../subscribers/subscriber.entity';

export const MAX_LIMIT = 1_000;
export const MAX_WAIT_SECONDS = 25;
const DEFAULT_LIMIT = 100;

/** What a subscriber asks the feed for. */
export interface FeedQuery {
  /** Absent: after what it has acknowledged. */
  after?: bigint;
  limit: number;
  waitSeconds: number;
  types: readonly EventType[];
}

/** More digits do not fit into the column of positions. */
const POSITION = /^\d{1,18}$/;

export const parsePosition = (text: unknown): bigint | null =>
  typeof text === 'string' && POSITION.test(text) ? BigInt(text) : null;

/** All violations at once; a parameter that is not known is ignored. */
export function parseFeedQuery(target: string, subscriber: Subscriber): FeedQuery {
  const given = new URLSearchParams(target.split('?', 2)[1]);
  const errors: FieldError[] = [];
  const refuse = (field: string, code: FieldError['code'], message: string) => errors.push({ field, code, message });
  const valueOf = (name: string): string | undefined => {
    const values = given.getAll(name);
    if (values.length > 1) refuse(name, 'INVALID_FORMAT', 'must not come twice');
    return values[0];
  };
  const numberOf = (name: string, min: number, max: number, otherwise: number): number => {
    const text = valueOf(name);
    const value = text === undefined ? otherwise : /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    refuse(name, 'INVALID_VALUE', `must be a whole number from ${min} to ${max}`);
    return otherwise;
  };

  const position = valueOf('after');
  const after = position === undefined ? undefined : parsePosition(position);
  if (after === null) refuse('after', 'INVALID_FORMAT', 'must be the digits of a position');
  const limit = numberOf('limit', 1, MAX_LIMIT, DEFAULT_LIMIT);
  const waitSeconds = numberOf('wait', 0, MAX_WAIT_SECONDS, 0);
  const own = typesFor(subscriber.types);
  const wanted = valueOf('types')?.split(',');
  const foreign = wanted?.filter((type) => !own.some((known) => known === type)) ?? [];
  if (foreign.length > 0) refuse('types', 'INVALID_VALUE', `must be of ${own.join(', ')}`);
  if (errors.length > 0) throw validationFailed(errors);
  const types = wanted ? own.filter((type) => wanted.includes(type)) : own;
  return { ...(typeof after === 'bigint' && { after }), limit, waitSeconds, types };
}
