import { isIP, SocketAddress } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from '../platform/http/api-request';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** The canonical form of an IP address, or null for anything else. */
function canonicalAddress(text: string | undefined): string | null {
  const version = isIP(text ?? '');
  if (text === undefined || version === 0 || text.includes('%')) return null;
  const { address } = new SocketAddress({ address: text, family: version === 6 ? 'ipv6' : 'ipv4' });
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

/** The consumer's own address, which the touchpoint's backend may pass on in `X-Consumer-IP`; a wrong one is ignored. */
export const ConsumerAddress = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  const header = context.switchToHttp().getRequest<ApiRequest>().headers['x-consumer-ip'];
  return canonicalAddress(typeof header === 'string' ? header.trim() : undefined);
});

/** How the OpenAPI document describes the header. */
export const CONSUMER_ADDRESS_HEADER = {
  name: 'X-Consumer-IP',
  required: false,
  description: "The consumer's own IP address, which the touchpoint's backend hides otherwise.",
  example: '203.0.113.7',
};
