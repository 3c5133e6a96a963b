import type { IdentifierKind } from '../auth/identifiers/identifier.entity';
import type { Channel } from '../messages/message';

/** Which identifier a channel proves. */
export const IDENTIFIER_OF = { email: 'email', sms: 'phone' } as const satisfies Record<Channel, IdentifierKind>;

/** The channel that proves an identifier. */
export const CHANNEL_OF = { email: 'email', phone: 'sms' } as const satisfies Record<IdentifierKind, Channel>;

/** An address as it may be shown to somebody who has not proven it: `a***@e***.com`, `+12***23`. */
export function maskedDestination(channel: Channel, destination: string): string {
  if (channel === 'sms') return `${destination.slice(0, 3)}***${destination.slice(-2)}`;
  const [local = '', domain = ''] = destination.split('@');
  return `${local.charAt(0)}***@${domain.charAt(0)}***${domain.slice(domain.lastIndexOf('.'))}`;
}
