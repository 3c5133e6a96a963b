import type { AddressInfo } from 'node:net';

/**
 * Where a browser on this machine reaches a server that listens there; a server that listens everywhere also listens
 * here.
 */
export function baseUrl({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
