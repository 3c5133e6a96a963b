import { isIP, SocketAddress } from 'node:net';
import type { ApiRequest } from '../platform/http/api-request';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** Of networks that carry IPv4, where the last 32 bits tell who it is (RFC 4291, RFC 6052). */
const CARRIES_IPV4 = /^(::|64:ff9b::)/;

/**
 * By what an IP address is counted, or null for anything else: IPv4 whole, and of IPv6 the 64 bits of the network, since
 * one household has all addresses in it and changes among them (RFC 8981).
 */
export function countedIp(text: string | undefined): string | null {
  const version = isIP(text ?? '');
  if (text === undefined || version === 0 || text.includes('%')) return null;
  const { address } = new SocketAddress({ address: text, family: version === 6 ? 'ipv6' : 'ipv4' });
  if (version === 4) return address;
  return MAPPED_IPV4.exec(address)?.[1] ?? (CARRIES_IPV4.test(address) ? address : network64(address));
}

/** The first four of the eight groups of a canonical IPv6 address (RFC 5952). */
function network64(address: string): string {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

/** The consumer's own IP address, which the touchpoint's backend may pass on in `X-Consumer-IP`; a wrong one is ignored. */
export function consumerIpOf({ headers }: ApiRequest): string | null {
  const header = headers['x-consumer-ip'];
  return countedIp(typeof header === 'string' ? header.trim() : undefined);
}

/** How the OpenAPI document describes the header. */
export const CONSUMER_IP_HEADER = {
  name: 'X-Consumer-IP',
  required: false,
  description: "The consumer's own IP address, which the touchpoint's backend hides otherwise.",
  example: '203.0.113.7',
};
