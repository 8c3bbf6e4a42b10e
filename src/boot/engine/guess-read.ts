// Guesses how long a read takes from what it asks for, before anything parses it. Only the order of reads of callers of
// whom nothing else is known depends on it (docs/decisions/034-fair-shares.md).
import { Buffer } from 'node:buffer';
import type { DataRequest } from '../../api/data-request.ts';
import { FETCH_IDS_MAX, TOP_K_MAX } from '../../domain/limits.ts';

/** Milliseconds for a record of an answer, and for each of its numbers, which a query scores and a fetch writes. */
const RECORD_MS = 0.01;
const SCORED_MS = 0.000_01;
const WRITTEN_MS = 0.000_05;
/** What takes less says nothing: a search of few records may take long for its filter. */
const GUESS_MS_MIN = 10;
/** Names of the member of a body that says how many records it asks for. */
const COUNT_NAMES = ['"topK"', '"top_k"'].map((name) => Buffer.from(name));
/** Longer bodies are not looked through: this is the main thread. */
const LOOKED_AT_BYTES_MAX = 65_536;
/** The number follows within so many bytes. */
const NUMBER_WITHIN_BYTES = 16;

/** The parts of a request that a guess needs. */
export interface GuessedRead extends Pick<DataRequest, 'body' | 'query'> {
  readonly index: Pick<DataRequest['index'], 'dimension'>;
}

/** Milliseconds; undefined for a read that does not ask for much, or does not say so in the usual way. */
export function guessReadMs({ body, query, index }: GuessedRead): number | undefined {
  const values = index.dimension ?? 0;
  const searched = countIn(body) * (RECORD_MS + values * SCORED_MS);
  const fetched = Math.min(FETCH_IDS_MAX, idsIn(query)) * (RECORD_MS + values * WRITTEN_MS);
  const guess = Math.max(searched, fetched);
  return guess < GUESS_MS_MIN ? undefined : guess;
}

function idsIn({ ids }: DataRequest['query']): number {
  return Array.isArray(ids) ? ids.length : 0;
}

/** The number of records that a body asks for, as far as its bytes tell at a glance; 0 where they do not. */
function countIn(pieces: DataRequest['body']): number {
  let left = LOOKED_AT_BYTES_MAX;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, Math.min(left, piece.byteLength));
    left -= bytes.length;
    for (const name of COUNT_NAMES) {
      const at = bytes.indexOf(name);
      if (at < 0) continue;
      const after = at + name.length;
      const [, count = '0'] =
        /^\s*:\s*(\d+)/.exec(bytes.toString('latin1', after, after + NUMBER_WITHIN_BYTES)) ?? [];
      return Math.min(TOP_K_MAX, Number(count));
    }
  }
  return 0;
}
