import { RETIRED_PORT_HOURS } from '../../app/indexes/index-ports.ts';
import { partOfMemory } from '../../platform/machine-memory.ts';
import {
  addressRanges,
  cloudRegions,
  flag,
  hostName,
  hostNames,
  path,
  port,
  portRange,
  publicAddress,
  text,
  wholeNumber,
} from '../setting-kinds.ts';
import { HOUR_SECONDS, optional, type Setting, setting } from './setting.ts';

const BODY_MEBIBYTES_MIN = 8;
const BODY_PRESET_MEBIBYTES_MAX = 512;
/** Of the memory that an idle server leaves. */
const BODY_SHARE = 0.25;

export const SERVING_SETTINGS = {
  bind: setting('PINYON_BIND', text, {
    preset: '127.0.0.1',
    about: 'Address of the network interface to listen on; `0.0.0.0` for all of them.',
  }),
  port: setting('PINYON_PORT', port, {
    preset: '5080',
    about: 'Port of the base address; `0` picks a free port.',
  }),
  indexPorts: setting('PINYON_INDEX_PORTS', portRange, {
    preset: '5081-5999',
    about:
      `Ports for indexes. An index keeps its port until it is deleted. Then the port answers 404 for ${RETIRED_PORT_HOURS} hours, or ` +
      'until the range runs out and another index needs it.',
  }),
  publicHost: setting('PINYON_PUBLIC_HOST', hostName, {
    preset: 'localhost',
    about: 'Host name in the `host` field of an index.',
  }),
  publicDomain: optional(
    'PINYON_PUBLIC_DOMAIN',
    hostName,
    'Serves every index on the base port under the host name `{index}-{project}.DOMAIN` instead of on its own port.',
  ),
  publicUrl: optional(
    'PINYON_PUBLIC_URL',
    publicAddress,
    'Address that clients use, where a proxy ends TLS: `https://vectors.example.org`. Every index is served under `{index}-{project}` of its host name. Replaces `PINYON_PUBLIC_HOST`, `PINYON_PUBLIC_DOMAIN` and `PINYON_PUBLIC_PORT`.',
  ),
  trustedProxies: optional(
    'PINYON_TRUSTED_PROXIES',
    addressRanges,
    'Proxies whose `X-Forwarded-For` header names the client, for logs, audit and limits by address.',
  ),
  publicPort: optional(
    'PINYON_PUBLIC_PORT',
    wholeNumber(1, 65_535),
    'Port in `host` fields under the public domain, if the proxy in front listens on a port other than the base port.',
  ),
  allowedHosts: optional(
    'PINYON_ALLOWED_HOSTS',
    hostNames,
    'Further host names that requests may name while `PINYON_BIND` is a loopback address; `*` admits any. Without it: loopback names, the public host and the public domain.',
  ),
  hostWithoutScheme: setting('PINYON_HOST_WITHOUT_SCHEME', flag, {
    preset: 'false',
    about: 'Omits `http://` from `host` fields, for clients that add the scheme themselves.',
  }),
  tlsCert: optional(
    'PINYON_TLS_CERT',
    path,
    'PEM file of the certificate and its chain. Every port then accepts TLS only. Read again when the file changes.',
  ),
  tlsKey: optional('PINYON_TLS_KEY', path, 'PEM file of the private key of the certificate.'),
  insecure: setting('PINYON_INSECURE', flag, {
    preset: 'false',
    about:
      'Lets a server that other machines reach (`PINYON_BIND`) start without TLS or with weak keys and secrets: where a proxy or a private network protects it.',
  }),
  regions: optional(
    'PINYON_REGIONS',
    cloudRegions,
    'The only cloud regions that a new index may name. If unset, any that has the form of its cloud, as us-east-1 for aws, us-east1 for gcp and eastus2 for azure. They are labels: all data stays on this server.',
  ),
  bodyMebibytesMax: setting('PINYON_BODY_MEBIBYTES_MAX', wholeNumber(BODY_MEBIBYTES_MIN, 1_048_576, 'MiB'), {
    preset: String(bodyPreset()),
    presetShown: '512, or a quarter of the memory that the server itself leaves where that is less',
    about:
      'Memory for the bodies and responses of all requests in progress. Requests that do not fit get status 429. One response may take half of it: a fetch of documents by ids, vectors of texts, a list without pages.',
  }),
  connectionsMax: setting('PINYON_CONNECTIONS_MAX', wholeNumber(1, 1_000_000), {
    preset: '10000',
    about: 'Open connections on all ports together. Further connections are closed at once.',
  }),
  headersSeconds: setting('PINYON_HEADERS_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '20',
    about: 'Time limit for the TLS handshake, and again for the headers of a request.',
  }),
  requestSeconds: setting('PINYON_REQUEST_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '120',
    about:
      'Time limit for a client to send a whole request, and again to read the whole response, or each piece of a download.',
  }),
  keepAliveSeconds: setting('PINYON_KEEP_ALIVE_SECONDS', wholeNumber(1, HOUR_SECONDS, 'seconds'), {
    preset: '75',
    about: 'Time that a connection may be idle between requests.',
  }),
  drainSeconds: setting('PINYON_DRAIN_SECONDS', wholeNumber(0, HOUR_SECONDS, 'seconds'), {
    preset: '20',
    about:
      'Time that running requests have to finish when the server stops. In what is left of it, indexes save what the next start would have to make again.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** In MiB. @param mebibytes memory of the machine; default of this one */
export function bodyPreset(mebibytes?: number): number {
  const bounds = { mebibytesMin: BODY_MEBIBYTES_MIN, mebibytesMax: BODY_PRESET_MEBIBYTES_MAX };
  return partOfMemory({ share: BODY_SHARE, ...bounds }, mebibytes);
}
