// Ends a query as soon as its answer is certain to be too large, before anything more is read for it.
import { fault } from '../../domain/faults.ts';
import { float32ArrayText } from '../../domain/records/float32-text.ts';
import type { QueryRequest } from './reader-and-writer.ts';

/**
 * The shortest forms. JSON: a digit and a comma for a value; the members of a match. Messages of gRPC: a float; an id and
 * a score, and metadata that may be shorter than their JSON, as a number of 24 characters is 9 bytes and two tags.
 */
const BYTES_MIN = {
  json: { value: 2, match: '{"id":"","score":0,"values":[]}'.length, metadataShare: 1 },
  message: { value: Float32Array.BYTES_PER_ELEMENT, match: 8, metadataShare: 1 / 3 },
} as const;

/** Matches whose values are measured exactly, to see whether those of the others must be. */
const MEASURED_MIN = 16;
/** Where these come to less than this share of the bound, the others are left to the rendering of the answer. */
const MEASURED_SHARE_MIN = 0.7;

export class AnswerSize {
  readonly #bytesMax: number;
  readonly #form: QueryRequest['answerForm'];
  readonly #min: (typeof BYTES_MIN)['json' | 'message'];
  readonly #matchBytes: number;
  readonly #valuesBytesMin: number;
  #bytes = 0;
  #matches = 0;
  #measured = 0;
  #measuredBytes = 0;

  constructor(
    {
      answerBytesMax,
      answerForm,
      includeValues,
    }: Pick<QueryRequest, 'answerBytesMax' | 'answerForm' | 'includeValues'>,
    dimension: number | null,
  ) {
    this.#bytesMax = answerBytesMax ?? Number.POSITIVE_INFINITY;
    this.#form = answerForm;
    // Where the form is not known, the shorter one of each part.
    this.#min =
      answerForm === undefined
        ? { ...BYTES_MIN.message, value: BYTES_MIN.json.value }
        : BYTES_MIN[answerForm];
    this.#valuesBytesMin = includeValues ? this.#min.value * (dimension ?? 0) : 0;
    this.#matchBytes = this.#min.match + this.#valuesBytesMin;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  /** What a match takes at least. */
  bytesMin(id: string, metadataJson: string | null): number {
    const metadataBytes = Math.floor((metadataJson?.length ?? 0) * this.#min.metadataShare);
    return this.#matchBytes + id.length + metadataBytes;
  }

  /** Checks an answer of so many matches, whose metadata is yet unknown. @throws response-too-big */
  check(matches: number): void {
    this.#matches = matches;
    if (matches * this.#matchBytes > this.#bytesMax) throw fault('response-too-big');
  }

  /** Counts a match with its id and metadata, before its values are read. @throws response-too-big */
  add(id: string, metadataJson: string | null): void {
    this.#count(this.bytesMin(id, metadataJson));
  }

  /** Counts what the values of the match just added take beyond the least. @throws response-too-big */
  addValues(values: Float32Array): void {
    if (this.#form !== 'json' || !this.#isWorthMeasuring()) return;
    // Without the brackets, but with the comma that the least counts for each value.
    const bytes = float32ArrayText(values).length - 1;
    this.#measured++;
    this.#measuredBytes += bytes;
    this.#count(bytes - this.#valuesBytesMin);
  }

  #isWorthMeasuring(): boolean {
    if (this.#bytesMax === Number.POSITIVE_INFINITY) return false;
    if (this.#measured < MEASURED_MIN) return this.#matches > MEASURED_MIN;
    const expected = (this.#measuredBytes / this.#measured) * this.#matches;
    return expected >= this.#bytesMax * MEASURED_SHARE_MIN;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) throw fault('response-too-big');
  }
}
