// Reads the records of matches after the search, where the search itself could not.
import { fault } from '../../domain/faults.ts';
import type { Match, QueryRequest, StoredRecord, VectorReader } from './record-access.ts';

/** Records in memory at a time besides those of the answer, which may be large. */
const RECORDS_READ_MAX = 100;
/** A number in an answer takes at least a digit and a comma. */
const NUMBER_BYTES_MIN = 2;
/** Characters of metadata that one byte of an answer may stand for: an escape in JSON text, in an answer that is none. */
const ESCAPE_CHARACTERS_MAX = 6;

type Parts = Pick<
  QueryRequest,
  'namespace' | 'filter' | 'includeValues' | 'includeMetadata' | 'answerBytesMax'
>;

/**
 * The matches with the requested parts of their records; without those that are gone meanwhile, or written so that the
 * filter excludes them.
 * @throws response-too-big once they certainly take more than `answerBytesMax`
 */
export async function withRecords<Ranked extends Pick<Match, 'id' | 'score'>>(
  store: VectorReader,
  matches: readonly Ranked[],
  { namespace, filter, includeValues, includeMetadata, answerBytesMax = Number.POSITIVE_INFINITY }: Parts,
): Promise<readonly (Ranked & Match)[]> {
  if (!includeValues && !includeMetadata) return matches;
  const found: (Ranked & Match)[] = [];
  let bytes = 0;
  for (let first = 0; first < matches.length; first += RECORDS_READ_MAX) {
    const batch = matches.slice(first, first + RECORDS_READ_MAX);
    const records = await store.fetch(
      namespace,
      batch.map(({ id }) => id),
      filter,
    );
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const match of batch) {
      const record = byId.get(match.id);
      if (record === undefined) continue;
      const parts = partsOf(record, { includeValues, includeMetadata });
      bytes += bytesMinOf(parts);
      if (bytes > answerBytesMax) throw fault('response-too-big');
      found.push({ ...match, ...parts });
    }
  }
  return found;
}

function partsOf(
  { values, sparse, metadataJson }: StoredRecord,
  { includeValues, includeMetadata }: Pick<Parts, 'includeValues' | 'includeMetadata'>,
): Partial<StoredRecord> {
  return { ...(includeValues && { values, sparse }), ...(includeMetadata && { metadataJson }) };
}

function bytesMinOf({ values, sparse, metadataJson }: Partial<StoredRecord>): number {
  const numbers = (values?.length ?? 0) + 2 * (sparse?.indices.length ?? 0);
  return NUMBER_BYTES_MIN * numbers + (metadataJson?.length ?? 0) / ESCAPE_CHARACTERS_MAX;
}
