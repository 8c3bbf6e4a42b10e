// The headers of responses, as the document describes them.
import { FAULTS, type FaultName } from '../../domain/faults.ts';
import type { Success } from '../endpoint.ts';
import type { DescribedEndpoint, Plane } from './planes.ts';

type Json = Readonly<Record<string, unknown>>;

const REQUEST_ID = 'Id of the request, as in the log of the server. Two headers have it.';
const lsn = (description: string) => ({ description, schema: { type: 'string', pattern: '^\\d+$' } });

/** The shared header objects of a document. */
export const HEADER_COMPONENTS = {
  RequestId: { description: REQUEST_ID, required: true, schema: { type: 'string', format: 'uuid' } },
  ResponseMs: {
    description: 'Milliseconds that the response took. Two headers have them.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  Version: {
    description: 'The version header of the request, returned as sent.',
    schema: { type: 'string' },
  },
  VersionInUse: {
    description: 'The version that answered. Absent where the credential was refused.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  RequestLsn: lsn('LSN of the write. Serverless indexes only.'),
  CommittedLsn: lsn('LSN of the latest write on disk. Serverless indexes only.'),
  MaxIndexedLsn: lsn('The read sees every write up to this LSN. Serverless indexes only.'),
} as const;

const headerRef = (name: keyof typeof HEADER_COMPONENTS) => ({ $ref: `#/components/headers/${name}` });

const WRITE_HEADERS = {
  'x-pinecone-request-lsn': headerRef('RequestLsn'),
  'x-pinecone-lsn-committed': headerRef('CommittedLsn'),
};
const READ_HEADERS = {
  'x-pinecone-max-indexed-lsn': headerRef('MaxIndexedLsn'),
  'x-pinecone-lsn-committed': headerRef('CommittedLsn'),
  'x-pinecone-lsn-reconciled': headerRef('CommittedLsn'),
};

/** The headers of every response of an endpoint. */
export function commonHeaders({ versioning }: DescribedEndpoint, plane: Plane): Json {
  const version =
    versioning === 'ignored'
      ? {}
      : { 'x-service-api-version': headerRef(plane === 'identity' ? 'VersionInUse' : 'Version') };
  return {
    'x-request-id': headerRef('RequestId'),
    'x-pinecone-request-id': headerRef('RequestId'),
    'x-pinecone-request-latency-ms': headerRef('ResponseMs'),
    'x-pinecone-response-duration-ms': headerRef('ResponseMs'),
    ...version,
  };
}

/** The headers of a success beside the common ones. */
export function successHeaders({ queue }: DescribedEndpoint, { headers }: Success): Json {
  const own = Object.entries(headers?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest }: { readonly description?: string } = schema;
    return [name, { description, required: headers?.required?.includes(name) ?? false, schema: rest }];
  });
  const freshness = queue === undefined ? {} : queue === 'write' ? WRITE_HEADERS : READ_HEADERS;
  return { ...freshness, ...Object.fromEntries(own) };
}

/** The headers of an error response beside the common ones. */
export function errorHeaders(names: readonly FaultName[]): Json {
  const isTemporary = names.some((name) => FAULTS[name].status === 429 || FAULTS[name].status === 503);
  return isTemporary ? { 'retry-after': headerRef('RetryAfter') } : {};
}
