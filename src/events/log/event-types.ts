/** What happened to consumers; subscribers get all of these unless they name some. */
export const CONSUMER_EVENT_TYPES = [
  'consumer.registered',
  'consumer.updated',
  'consumer.identifier-verified',
  'consumer.identifier-removed',
  'consumer.password-changed',
  'consumer.recovered',
  'consumer.disabled',
  'consumer.enabled',
  'consumer.erased',
] as const;

/** There are many, so they are kept only while a subscriber names them. */
const SESSION_EVENT_TYPES = ['session.started', 'session.ended'] as const;

export const EVENT_TYPES = [...CONSUMER_EVENT_TYPES, ...SESSION_EVENT_TYPES];

export type EventType = (typeof EVENT_TYPES)[number];

/** The types that a subscriber gets who names these. */
export const typesFor = (named: readonly EventType[]): readonly EventType[] =>
  named.length > 0 ? named : CONSUMER_EVENT_TYPES;

/** What each event says besides whom it concerns: names of fields, never values, so that nothing in it is personal. */
interface FactData {
  'consumer.registered': { by: 'registration' | 'proof' | 'identification' | 'import' };
  /** Fields of the profile. */
  'consumer.updated': { changed: string[] };
  'consumer.identifier-verified': { identifier: 'email' | 'phone' };
  'consumer.identifier-removed': { identifier: 'email' | 'phone' };
  'consumer.password-changed': object;
  'consumer.recovered': object;
  'consumer.disabled': object;
  'consumer.enabled': object;
  'consumer.erased': object;
  'session.started': { sessionId: string };
  'session.ended': { sessionId: string };
}

/** Something that was done, as subscribers see it. */
export type Fact = {
  [Type in EventType]: { type: Type; consumerId: string; data: FactData[Type] };
}[EventType];

/** A fact that several flows record. */
export const identifierVerified = (consumerId: string, identifier: 'email' | 'phone'): Fact => ({
  type: 'consumer.identifier-verified',
  consumerId,
  data: { identifier },
});

/** The same. */
export const identifierRemoved = (consumerId: string, identifier: 'email' | 'phone'): Fact => ({
  type: 'consumer.identifier-removed',
  consumerId,
  data: { identifier },
});

export const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text);
