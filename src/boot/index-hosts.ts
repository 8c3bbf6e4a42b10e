// The `host` fields of indexes, according to the settings.
import { type IndexHosts, portHosts, type SchemePrefix, virtualHosts } from '../app/indexes/index-hosts.ts';
import type { Settings } from './settings.ts';

export const HTTP_PORT = 80;
export const HTTPS_PORT = 443;

/** True where clients use TLS: with the server itself, or with a proxy in front of it. */
export function isServedByTls({ publicUrl, tlsCert }: Pick<Settings, 'publicUrl' | 'tlsCert'>): boolean {
  return publicUrl === null ? tlsCert !== null : publicUrl.startsWith('https:');
}

export function indexHostsFor(settings: Settings): IndexHosts {
  const { publicDomain, publicHost, publicPort, port, hostWithoutScheme } = settings;
  const isTls = isServedByTls(settings);
  const scheme: SchemePrefix = isTls ? 'https://' : 'http://';
  const prefix = hostWithoutScheme ? '' : scheme;
  if (publicDomain === null) return portHosts(prefix, publicHost);
  const shown = publicPort ?? port;
  // Clients assume https for a bare host, whatever protocol is used behind the proxy.
  const implied = isTls || hostWithoutScheme ? HTTPS_PORT : HTTP_PORT;
  return virtualHosts(prefix, publicDomain, shown === implied ? null : shown);
}
