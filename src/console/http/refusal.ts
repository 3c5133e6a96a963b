import { KeysUnavailableError } from '../../auth/assertions/provider-keys';
import { ConsumerError } from '../../consumers/administration/consumer-finder';
import { SubscriberError } from '../../events/subscribers/subscriber.error';
import { MessageError } from '../../messages/message-administration';
import { OperatorError } from '../../operators/operators.service';
import { TouchpointError } from '../../touchpoints/administration/touchpoint.error';
import type { Answer } from './exchange';

/** An act that the console itself refuses, with a reason for the operator. */
export class RefusedError extends Error {}

const REFUSALS = [
  RefusedError,
  ConsumerError,
  KeysUnavailableError,
  MessageError,
  OperatorError,
  SubscriberError,
  TouchpointError,
];

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

/** Does something; when it is refused, answers the page from which it was asked for, with the reason. */
export async function unlessRefused(
  act: () => Promise<Answer>,
  page: (reason: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (!REFUSALS.some((known) => error instanceof known)) throw error;
    const reason = (error as Error).message.replace(/--[a-z-]+/g, (option) => LABELS[option] ?? option);
    return page(reason);
  }
}
