// Distinguishes public from private network addresses, and limits connections to public ones.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Includes the address at which clouds provide the machine's credentials.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6');
}

/** IPv4 addresses that are mapped to IPv6 count as IPv4. */
export function isPrivateAddress(address: string): boolean {
  const [, inner] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (inner !== undefined) return PRIVATE.check(inner, 'ipv4');
  const family = isIP(address);
  return family === 0 || PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** True for a host that is a private address itself; names are checked when they are resolved. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 && isPrivateAddress(bare);
}

/** A DNS lookup for agents of HTTP clients, which fails for names that resolve to private addresses. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  const all: LookupOptions & { readonly all: true } = { ...options, all: true };
  lookup(host, all, (error, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, '', 0);
    const wrong = addresses.find(({ address }) => isPrivateAddress(address));
    if (wrong !== undefined) return callback(new PrivateAddress(host), '', 0);
    if (options.all === true) return callback(null, addresses);
    const [first] = addresses;
    return callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

export class PrivateAddress extends Error {
  /** A code, as in the errors of the resolver. */
  readonly code = 'EPRIVATE';

  constructor(host: string) {
    super(`${host} is an address of a private network`);
    this.name = 'PrivateAddress';
  }
}
