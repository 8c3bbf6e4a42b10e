// The moment of its history at which a request reads an index, in a header, since clients of the public API drop unknown
// keys of bodies.

import type { ReadAsOf, VectorReader } from '../../../app/records/record-access.ts';
import type { IndexEmbedding } from '../../../domain/embedding/index-embedding.ts';
import { refuseOtherVectors } from '../../../domain/embedding/remade-vectors.ts';
import { invalid } from '../../../domain/faults.ts';
import { millisecondsOf } from '../../../domain/filter/moment.ts';
import type { PreprocessorCall } from '../../endpoint.ts';

/** Request header; one of this service's own. */
export const AS_OF_HEADER = 'x-pinyon-as-of';

/** The reader of the moment of a header. @throws invalid-argument */
export function readerAsOf(header: string, readAsOf: ReadAsOf | undefined): VectorReader {
  const moment = momentOf(header.trim());
  if (readAsOf === undefined)
    throw invalid(`this server keeps no history, so ${AS_OF_HEADER} must be absent`);
  return readAsOf(moment);
}

/** A write for a moment would be one to the present. @throws invalid-argument */
export function refuseMoment(header: string | undefined): void {
  if (header !== undefined) throw invalid(`${AS_OF_HEADER} is for reads; the past cannot be written to`);
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
