// Freshness headers: the LSN of a write, and the LSN up to which a read sees all writes.

import type { Lsn } from '../../../app/records/record-access.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Reply } from '../../endpoint.ts';

/** The reply to a write with this LSN. Pod-based indexes send no freshness headers. */
export function writeReply(index: IndexProfile, lsn: Lsn, body: unknown = {}): Reply {
  if (index.kind === 'pod') return { status: 200, body };
  const headers = { 'x-pinecone-request-lsn': String(lsn), 'x-pinecone-lsn-committed': String(lsn) };
  return { status: 200, body, headers };
}

/** Headers of a read that sees every write up to `lsn`. */
export function readHeaders(index: IndexProfile, lsn: Lsn): Readonly<Record<string, string>> {
  if (index.kind === 'pod') return {};
  const text = String(lsn);
  return {
    'x-pinecone-max-indexed-lsn': text,
    'x-pinecone-lsn-committed': text,
    'x-pinecone-lsn-reconciled': text,
  };
}
