// Answers made of matches or records from the store, which the request's wire renders.

import type { RankedMatch } from '../../../app/records/group-matches.ts';
import type { StoredRecord } from '../../../app/records/record-access.ts';
import { RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';

export type RecordsAnswer = MatchesAnswer | FetchedAnswer;

/** Bounded by RESPONSE_BYTES_MAX as it is written. */
export interface MatchesAnswer {
  readonly matches: readonly RankedMatch[];
  readonly namespace: string;
  readonly readUnits: number;
  /** Counts of values, where they were asked for; only JSON has a place for them. */
  readonly facets: readonly object[] | null;
}

export interface FetchedAnswer {
  readonly fetched: readonly StoredRecord[];
  readonly namespace: string;
  /** Present when the answer is a page, which ends before it would become too large. */
  readonly page?: {
    /** The id that the next page starts after, if all records fit on this one. */
    readonly next: string | null;
    readonly tokenAfter: (id: string) => string;
    /** True where the answer lists the ids in their order, which not every reader of a JSON object keeps. */
    readonly listsIds?: boolean;
  };
}

/** Bytes of an answer reserved for what surrounds its records. */
const ENVELOPE_BYTES = 4096;

/** How a wire writes a record, and how large the result is. */
export interface RecordForm<Piece> {
  readonly write: (record: StoredRecord) => Piece;
  /** Bytes. */
  readonly sizeOf: (piece: Piece) => number;
}

/** Writes records; of a page as many as fit, but at least one. `next` is the token of the next page, or null. */
export function fitRecords<Piece>(
  { fetched, page }: FetchedAnswer,
  { write, sizeOf }: RecordForm<Piece>,
): { readonly pieces: readonly Piece[]; readonly next: string | null } {
  if (page === undefined) return { pieces: fetched.map(write), next: null };
  const pieces: Piece[] = [];
  let bytesLeft = RESPONSE_BYTES_MAX - ENVELOPE_BYTES;
  let last: string | null = null;
  for (const record of fetched) {
    const piece = write(record);
    bytesLeft -= sizeOf(piece);
    if (bytesLeft < 0 && last !== null) return { pieces, next: page.tokenAfter(last) };
    pieces.push(piece);
    last = record.id;
  }
  return { pieces, next: page.next === null ? null : page.tokenAfter(page.next) };
}
