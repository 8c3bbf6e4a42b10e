// Reads the API version header, which has two names.
import type { IncomingHttpHeaders } from 'node:http';
import {
  KNOWN_VERSIONS,
  NEWEST_API_VERSION,
  parseApiVersion,
  type RequestedVersion,
} from '../domain/api-version.ts';
import { fault } from '../domain/faults.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../domain/quoted.ts';

/** The specification's name comes first: it wins if a request has both. */
const HEADER_NAMES = ['x-service-api-version', 'x-pinecone-api-version'] as const;

export interface ReadVersion {
  readonly version: RequestedVersion;
  /** The header that the response echoes: the one the caller used, as sent. */
  readonly echo: Readonly<Record<string, string>>;
}

/**
 * How an API treats the header: `usual`; `required`; `identity`, where the version in use is always
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
    const supported = KNOWN_VERSIONS.join(', ');
    throw fault('unsupported-version', { version: quoted(value, HEADER_QUOTED_CHARS_MAX), supported });
  }
  return { version, echo: { [name]: value } };
}

/** Version 8 of the Python SDK sends the header twice with the same value, which Node joins with a comma. */
function once(value: string): string {
  const [first = '', ...others] = value.split(/, */);
  return others.every((other) => other === first) ? first : value;
}
