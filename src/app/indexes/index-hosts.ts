// The `host` field of an index: its own port on a shared host name, or its own host name.
import { projectShortId } from '../../domain/ids.ts';
import type { Index } from '../../domain/index-model.ts';

/** The address that clients connect to: no path, no trailing slash. */
export type IndexHosts = (index: Index) => string;

/**
 * Prefix of the host name. SDKs prepend `https://` to a bare host name, so without TLS
 * the scheme must be explicit.
 */
export type SchemePrefix = 'http://' | 'https://' | '';

/** As in `http://localhost:5081`. */
export function portHosts(prefix: SchemePrefix, publicHost: string): IndexHosts {
  return ({ name, port }) => {
    if (port === null) throw new Error(`Index ${name} has no port.`);
    return `${prefix}${publicHost}:${port}`;
  };
}

/** As in `https://books-x3k9q0a.example.org`; `port` is left out where the scheme implies it. */
export function virtualHosts(prefix: SchemePrefix, domain: string, port: number | null = null): IndexHosts {
  const suffix = port === null ? '' : `:${port}`;
  return ({ name, projectId }) => `${prefix}${name}-${projectShortId(projectId)}.${domain}${suffix}`;
}

/** Returns the host name of a `host` field in lower case. */
export function hostnameIn(host: string): string {
  return host
    .replace(/^https?:\/\//, '')
    .replace(/:\d+$/, '')
    .toLowerCase();
}
