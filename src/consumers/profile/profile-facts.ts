import { type Fact, identifierRemoved } from '../../events/log/event-types';
import type { ProfileDto } from './profile.dto';

/** The fields of a profile that tell of one identifier. */
const FIELDS = {
  email: ['email', 'emailVerified', 'pendingEmail'],
  phone: ['phone', 'phoneVerified', 'pendingPhone'],
} as const;

/** The events of a change of these fields; a removed identifier has an event of its own, and no other. */
export function factsOf(consumerId: string, fields: string[], profile: ProfileDto): Fact[] {
  const removed = (['email', 'phone'] as const).filter((kind) => fields.includes(kind) && profile[kind] === null);
  const gone = new Set<string>(removed.flatMap((kind) => FIELDS[kind]));
  const changed = fields.filter((field) => !gone.has(field));
  return [
    ...(changed.length > 0 ? [{ type: 'consumer.updated', consumerId, data: { changed } } as const] : []),
    ...removed.map((kind) => identifierRemoved(consumerId, kind)),
  ];
}
