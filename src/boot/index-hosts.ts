// The `host` fields of indexes, according to the settings.
import { type IndexHosts, portHosts, type SchemePrefix, virtualHosts } from '../app/indexes/index-hosts.ts';
import type { Settings } from './settings.ts';

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

export function indexHostsFor(settings: Settings): IndexHosts {
  const { publicDomain, publicHost, publicPort, port, tlsCert, hostWithoutScheme } = settings;
  const scheme: SchemePrefix = tlsCert === null ? 'http://' : 'https://';
  const prefix = hostWithoutScheme ? '' : scheme;
  if (publicDomain === null) return portHosts(prefix, publicHost);
  const shown = publicPort ?? port;
  // Clients assume https for a bare host, whatever protocol is used behind the proxy.
  const implied = tlsCert === null && !hostWithoutScheme ? HTTP_PORT : HTTPS_PORT;
  return virtualHosts(prefix, publicDomain, shown === implied ? null : shown);
}
