// Which network addresses are nobody's private network, and connections that go to no others.
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Among them the one at which clouds hand out the machine's credentials.
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

/** IPv4 addresses in IPv6 clothes count as what they are. */
export function isPrivateAddress(address: string): boolean {
  const [, inner] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (inner !== undefined) return PRIVATE.check(inner, 'ipv4');
  const family = isIP(address);
  return family === 0 || PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** True for a host that is such an address itself; names are looked at when they are resolved. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 && isPrivateAddress(bare);
}

/** Resolves names, and fails for those that lead into a private network. For the agents of HTTP clients. */
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
  /** As the errors of the resolver have one. */
  readonly code = 'EPRIVATE';

  constructor(host: string) {
    super(`${host} is an address of a private network`);
    this.name = 'PrivateAddress';
  }
}
