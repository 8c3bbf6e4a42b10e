// Ends a query as soon as its answer is certain to be too large, before anything more is read for it.
import { fault } from '../../../domain/faults.ts';
import type { QueryRequest } from '../../port/reader-and-writer.ts';

/** The shortest forms on any wire: a digit and a comma of JSON for a value; an id and a score for a match. */
const VALUE_BYTES_MIN = 2;
const MATCH_BYTES_MIN = 8;
/** A wire may write metadata shorter than its JSON: a number of 24 characters as 9 bytes and two tags. */
const METADATA_SHARE_MIN = 1 / 3;

export class AnswerSize {
  readonly #bytesMax: number;
  readonly #matchBytes: number;
  #bytes = 0;

  constructor(
    { answerBytesMax, includeValues }: Pick<QueryRequest, 'answerBytesMax' | 'includeValues'>,
    dimension: number | null,
  ) {
    this.#bytesMax = answerBytesMax ?? Number.POSITIVE_INFINITY;
    this.#matchBytes = MATCH_BYTES_MIN + (includeValues ? VALUE_BYTES_MIN * (dimension ?? 0) : 0);
  }

  /** Checks an answer of so many matches, whose metadata is yet unknown. @throws response-too-big */
  check(matches: number): void {
    if (matches * this.#matchBytes > this.#bytesMax) throw fault('response-too-big');
  }

  /** Counts a match with its metadata, before its values are read. @throws response-too-big */
  add(metadataJson: string | null): void {
    this.#bytes += this.#matchBytes + (metadataJson?.length ?? 0) * METADATA_SHARE_MIN;
    if (this.#bytes > this.#bytesMax) throw fault('response-too-big');
  }
}
