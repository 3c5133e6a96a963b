import { EVENT_TYPES, type EventType, isEventType } from '../log/event-types';
import { SubscriberError } from './subscriber.error';

/** The settings of a subscriber that an administrator chooses. */
export interface SubscriberSettings {
  /** Empty: all types but those of sessions. */
  types: EventType[];
  /** Codes; empty: all. */
  touchpoints: string[];
  readsConsumers: boolean;
}

/** The settings as an administrator types them; an absent one was not given. */
export interface SubscriberSettingsText {
  types?: string | undefined;
  touchpoints?: string | undefined;
  readConsumers?: boolean | undefined;
}

export function parseSubscriberSettings(given: SubscriberSettingsText): SubscriberSettings {
  return {
    types: parseTypes(given.types),
    touchpoints: listOf(given.touchpoints),
    readsConsumers: given.readConsumers ?? false,
  };
}

function parseTypes(text: string | undefined): EventType[] {
  return listOf(text).map((type) => {
    if (isEventType(type)) return type;
    throw new SubscriberError(`--types: ${type} is not one of ${EVENT_TYPES.join(', ')}`);
  });
}

const listOf = (text = ''): string[] => [
  ...new Set(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];
