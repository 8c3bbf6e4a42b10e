// The moment of its history at which a request reads an index, in a header, since clients of the public API drop unknown
// keys of bodies.

import type { ReadAsOf, VectorReader } from '../../../app/records/record-access.ts';
import type { IndexEmbedding } from '../../../domain/embedding/index-embedding.ts';
import { refuseOtherVectors } from '../../../domain/embedding/remade-vectors.ts';
import { invalid } from '../../../domain/faults.ts';
import { millisecondsOf } from '../../../domain/filter/moment.ts';
import type { EndpointDetails, PreprocessorCall } from '../../endpoint.ts';

/** Request header; one of this service's own. */
export const AS_OF_HEADER = 'x-pinyon-as-of';

/** What of an endpoint tells whether it reads at a moment. */
interface MomentUse extends Pick<EndpointDetails, 'method' | 'readsPast'> {
  /** Of data endpoints. */
  readonly queue?: 'read' | 'write';
}

/** The reader of the moment of a header. @throws invalid-argument */
export function readerAsOf(header: string, readAsOf: ReadAsOf | undefined): VectorReader {
  const moment = momentOf(header.trim());
  if (readAsOf === undefined)
    throw invalid(`this server keeps no history, so ${AS_OF_HEADER} must be absent`);
  return readAsOf(moment);
}

/** True where an endpoint reads records at the moment of the header. */
export function readsAtMoment({ queue, readsPast = false }: MomentUse): boolean {
  return queue === undefined ? readsPast : queue === 'read';
}

/**
 * True where a moment would silently mean the present: for what changes something, or looks at the present alone. What is
 * got by GET otherwise, such as the description of an index, is no state of records. SDKs send the header with it, too.
 */
export function refusesMoment(endpoint: MomentUse): boolean {
  return !readsAtMoment(endpoint) && (endpoint.queue === 'write' || endpoint.method !== 'GET');
}

/** @throws invalid-argument where there is a header */
export function refuseMoment(header: unknown): void {
  if (header !== undefined)
    throw invalid(`${AS_OF_HEADER} is for reads of records; the past cannot be written to`);
}

/** @throws embedded-since where the vectors of the moment are of another source; invalid-argument */
export function requireSameVectors(
  { index, asOf }: Pick<PreprocessorCall, 'index' | 'asOf'>,
  embed: Pick<IndexEmbedding, 'remade'>,
): void {
  if (asOf !== undefined) refuseOtherVectors(index, embed, momentOf(asOf.trim()));
}

function momentOf(text: string): Parameters<ReadAsOf>[0] {
  if (/^\d{1,15}$/.test(text)) return { lsn: Number(text) };
  const ms = millisecondsOf(text);
  if (ms === null)
    throw invalid(`${AS_OF_HEADER} must be an LSN or a moment such as 2026-07-01T09:30:00Z, got '${text}'`);
  return { ms };
}
