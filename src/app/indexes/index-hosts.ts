// The `host` field of an index: a port of its own on one host name, or a host name of its own.
import { projectShortId } from '../../domain/ids.ts';
import type { Index } from '../../domain/index-model.ts';

/** The text clients connect to: no path, no trailing slash. */
export type IndexHosts = (index: Index) => string;

/**
 * What stands before the host name. SDKs put `https://` before a bare one, so without TLS
 * the scheme must be said.
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

/** The host name within a `host` text, in lower case. */
export function hostnameIn(host: string): string {
  return host
    .replace(/^https?:\/\//, '')
    .replace(/:\d+$/, '')
    .toLowerCase();
}
