import { KeysUnavailableError } from '../../auth/assertions/provider-keys';
import { ConsumerError } from '../../consumers/administration/consumer-finder';
import { SubscriberError } from '../../events/subscribers/subscriber.error';
import { MessageError } from '../../messages/message-administration';
import { OperatorError } from '../../operators/operators.service';
import { TouchpointError } from '../../touchpoints/administration/touchpoint.error';
import type { Answer, Faults } from './exchange';

/** An act that the console itself refuses, with a reason for the operator. */
export class RefusedError extends Error {
  constructor(
    reason: string,
    readonly faults: Faults = {},
  ) {
    super(reason);
  }
}

const REFUSALS = [ConsumerError, KeysUnavailableError, MessageError, OperatorError, SubscriberError, TouchpointError];

/** Services name options of the command line; these are the labels of the same fields. */
const LABELS: Record<string, string> = {
  '--auth-mode': 'Authentication mode',
  '--channel-proof': 'Channel proof',
  '--rate-limit': 'Rate limit',
  '--sms-countries': 'SMS countries',
  '--session-max': 'Session maximum',
  '--session-idle': 'Session idle time',
  '--issuer': 'Issuer',
  '--audience': 'Audience',
  '--jwks-uri': 'JWKS URI',
  '--types': 'Types',
};

/** Refuses a form for each field whose check throws, by the id of the field. */
export function checkFields(checks: Record<string, () => unknown>): void {
  const faults: Faults = {};
  for (const [field, check] of Object.entries(checks)) {
    try {
      check();
    } catch (error) {
      faults[field] = refusalOf(error).message;
    }
  }
  if (Object.keys(faults).length > 0) throw new RefusedError(Object.values(faults).join('. '), faults);
}

/** A refusal of this act is about this field, unless it begins with the option of another. */
export async function aboutField<T>(of: string | ((refusal: unknown) => string), act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { message, faults } = refusalOf(error);
    const field = typeof of === 'string' ? of : of(error);
    throw new RefusedError(message, Object.keys(faults).length > 0 ? faults : { [field]: message });
  }
}

/** Does something; when it is refused, answers the page from which it was asked for, with the reason. */
export async function unlessRefused(
  act: () => Promise<Answer>,
  page: (reason: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    const { message, faults } = refusalOf(error);
    return { ...(await page(message)), faults };
  }
}

function refusalOf(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  if (!REFUSALS.some((known) => error instanceof known)) throw error;
  const { message } = error as Error;
  const reason = message.replace(/--[a-z-]+/g, (option) => LABELS[option] ?? option);
  const option = Object.keys(LABELS).find((known) => message.startsWith(known));
  return new RefusedError(reason, option === undefined ? {} : { [fieldOf(option)]: reason });
}

/** The fields have the names of the options: `rateLimit` that of `--rate-limit`. */
const fieldOf = (option: string): string =>
  option.slice('--'.length).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
