import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { AppConfig } from '../../platform/settings/config';

type Networks = [address: string, prefix: number, family: 'ipv4' | 'ipv6'][];

/** All of IPv6 that is assigned to the internet (RFC 4291, section 2.4). */
const GLOBAL_UNICAST: Networks = [['2000::', 3, 'ipv6']];

/** Networks that are not the internet: this machine, private, link-local, shared, reserved, relays (RFC 6890). */
const PRIVATE_NETWORKS: Networks = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['3fff::', 20, 'ipv6'],
];

const LOOPBACK: Networks = [
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
];

const listOf = (networks: Networks): BlockList => {
  const list = new BlockList();
  for (const network of networks) list.addSubnet(...network);
  return list;
};

const globalUnicast = listOf(GLOBAL_UNICAST);
const privateNetworks = listOf(PRIVATE_NETWORKS);
const loopback = listOf(LOOPBACK);

/** How far events may go: over the internet, also to this machine, or also into private networks. */
export type Reach = AppConfig['webhookReach'];

/** Whether an address, as text, may be connected to. An IPv4 address in IPv6 form counts as what it is. */
export function isWithin(reach: Reach, address: string): boolean {
  if (reach === 'private') return true;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  const known = mapped ?? address;
  const family = isIP(known);
  if (family === 0 || (mapped === undefined && /^::ffff:/i.test(address))) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const isPublic = (type === 'ipv4' || globalUnicast.check(known, type)) && !privateNetworks.check(known, type);
  return isPublic || (reach === 'loopback' && loopback.check(known, type));
}

/** The address belongs to a private network. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** Resolves a name for a connection, which is then made to just these addresses: a name cannot change its mind between. */
export const lookupWithin =
  (reach: Reach): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) {
        callback(error, '');
        return;
      }
      const refused = addresses.find(({ address }) => !isWithin(reach, address));
      if (refused) callback(new PrivateAddressError(`${hostname} is the private address ${refused.address}`), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
