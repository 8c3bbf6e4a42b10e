// The API version header: two names, one meaning.
import type { IncomingHttpHeaders } from 'node:http';
import { quoted } from '../api/quoted.ts';
import {
  API_VERSIONS,
  NEWEST_API_VERSION,
  parseApiVersion,
  type RequestedVersion,
  VERSION_ALIASES,
} from '../domain/api-version.ts';
import { fault } from '../domain/faults.ts';

/** The specification's name comes first: it wins when a request carries both. */
const HEADER_NAMES = ['x-service-api-version', 'x-pinecone-api-version'] as const;

export interface ReadVersion {
  readonly version: RequestedVersion;
  /** What the answer repeats: the header the caller used, as sent. */
  readonly echo: Readonly<Record<string, string>>;
}

/**
 * How a surface treats the header: `usual`; `required`; `identity`, where the version in force is always
 * echoed; `ignored`, for clients that send any or none.
 */
export type Versioning = 'usual' | 'required' | 'identity' | 'ignored';

/** @throws unsupported-version, missing-version */
export function readVersion(headers: IncomingHttpHeaders, versioning: Versioning): ReadVersion {
  const name = HEADER_NAMES.find((each) => headers[each] !== undefined);
  if (versioning === 'ignored') return { version: null, echo: {} };
  if (name === undefined) {
    if (versioning === 'required') throw fault('missing-version', { newest: NEWEST_API_VERSION });
    if (versioning === 'identity') {
      return { version: NEWEST_API_VERSION, echo: { [HEADER_NAMES[0]]: NEWEST_API_VERSION } };
    }
    return { version: null, echo: {} };
  }
  const value = once(String(headers[name]));
  const version = parseApiVersion(value);
  if (version === undefined) {
    const supported = [...API_VERSIONS, ...Object.keys(VERSION_ALIASES)].join(', ');
    throw fault('unsupported-version', { version: quoted(value), supported });
  }
  return { version, echo: { [name]: value } };
}

/** Python's SDK 8 sends the header twice with the same value, which Node joins by a comma. */
function once(value: string): string {
  const [first = '', ...others] = value.split(/, */);
  return others.every((other) => other === first) ? first : value;
}
