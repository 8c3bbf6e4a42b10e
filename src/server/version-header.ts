// The API version header: two names, one meaning.
import type { IncomingHttpHeaders } from 'node:http';
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
/** Refusals quote the value; a long one is cut. */
const QUOTED_CHARS_MAX = 40;

export interface ReadVersion {
  readonly version: RequestedVersion;
  /** What the answer repeats: the header the caller used, as sent. */
  readonly echo: Readonly<Record<string, string>>;
}

/** @throws unsupported-version, missing-version */
export function readVersion(headers: IncomingHttpHeaders, required: boolean): ReadVersion {
  const name = HEADER_NAMES.find((each) => headers[each] !== undefined);
  if (name === undefined) {
    if (required) throw fault('missing-version', { newest: NEWEST_API_VERSION });
    return { version: null, echo: {} };
  }
  const value = String(headers[name]);
  const version = parseApiVersion(value);
  if (version === undefined) {
    const supported = [...API_VERSIONS, ...Object.keys(VERSION_ALIASES)].join(', ');
    throw fault('unsupported-version', { version: value.slice(0, QUOTED_CHARS_MAX), supported });
  }
  return { version, echo: { [name]: value } };
}
