// The names of a server that only its own machine reaches. A page of the web whose name is suddenly said to be at a
// loopback address (DNS rebinding) would otherwise speak to it through the browser of whoever runs it.
import { fault } from '../domain/faults.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../domain/quoted.ts';

export interface HostNames {
  /** The address that the server listens on. */
  readonly bind: string;
  readonly publicHost: string;
  readonly publicDomain: string | null;
  /** Further names; `*` admits any. */
  readonly allowedHosts: readonly string[] | null;
}

/** Spellings remembered as good: each index and each port has one. */
const REMEMBERED_MAX = 4_096;
const LOOPBACK_NAME =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:(127(\.\d{1,3}){3}|7f[0-9a-f]{2}:[0-9a-f]{1,4})\])$/;
const LOOPBACK_ADDRESS = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** True if only this machine reaches a server that listens on the address. */
export function isLoopback(bind: string): boolean {
  return LOOPBACK_ADDRESS.test(bind);
}

/**
 * The check of Host headers, which throws for names that are not of this server. It passes everything on servers that
 * other machines reach: those have names that they do not know, and no more rights than the web itself.
 */
export function hostCheck({
  bind,
  publicHost,
  publicDomain,
  allowedHosts,
}: HostNames): (host: string) => void {
  if (!isLoopback(bind) || allowedHosts?.includes('*') === true) return () => undefined;
  const names = new Set([
    publicHost,
    ...(publicDomain === null ? [] : [publicDomain]),
    ...(allowedHosts ?? []),
  ]);
  const isOwn = (name: string) =>
    LOOPBACK_NAME.test(name) ||
    names.has(name) ||
    (publicDomain !== null && name.endsWith(`.${publicDomain}`));
  const good = new Set<string>();
  return (host) => {
    if (good.has(host)) return;
    // HTTP/1.0 has no Host header; browsers do not speak it.
    if (host !== '' && !isOwn(nameOf(host))) {
      throw fault('host-not-allowed', { host: quoted(host, HEADER_QUOTED_CHARS_MAX) });
    }
    if (good.size >= REMEMBERED_MAX) good.clear();
    good.add(host);
  };
}

/** In lower case, without the port and without the trailing dot of a fully qualified name. */
export function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
