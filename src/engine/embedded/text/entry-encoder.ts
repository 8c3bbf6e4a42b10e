// Encodes the texts of a record as one entry of the forward index.
//
// An entry is a list of varints: the number of fields, then for each field its number, its tokens, its distinct terms and
// the bytes of the terms that follow; these are, by ascending number, the difference to the number before and how often
// the term occurs. The positions of all fields follow last, term after term in the same order: first the bytes of each
// field's, then differences.
import { analyzerOf } from '../../../domain/full-text/analysis/analyzer.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { DictionaryWriter } from './dictionary-writer.ts';
import { VarintBuffer } from './varint.ts';

export interface TextField {
  readonly number: number;
  readonly analysis: TextAnalysis;
}

/** The texts of a record by field. */
export type RecordTexts = readonly (readonly [field: TextField, text: string])[];

export interface EncodedEntry {
  /** Valid until the next call. */
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Distinct terms, over all fields. */
  readonly terms: number;
}

const entry = new VarintBuffer();
const termBytes = new VarintBuffer();
const positionBytes = new VarintBuffer();
const allPositions = new VarintBuffer();

/** Receives the tokens of each field, and then each of its distinct terms with its positions. */
export interface EntrySink {
  field(field: number, tokens: number): void;
  term(field: number, term: number, positions: readonly number[]): void;
}

/** @throws when memory is full: then nothing refers to what was added */
export function encodeEntry(texts: RecordTexts, dictionary: DictionaryWriter, sink: EntrySink): EncodedEntry {
  entry.clear();
  allPositions.clear();
  entry.push(texts.length);
  let terms = 0;
  for (const [field, text] of texts) terms += encodeField([field, text], dictionary, sink);
  entry.pushAll(allPositions);
  return { bytes: entry.bytes, length: entry.length, terms };
}

/** @returns the number of distinct terms */
function encodeField(
  [{ number, analysis }, text]: RecordTexts[number],
  dictionary: DictionaryWriter,
  sink: EntrySink,
): number {
  const byTerm = new Map<string, number[]>();
  let tokens = 0;
  analyzerOf(analysis).visit(text, (term, position) => {
    tokens++;
    const positions = byTerm.get(term);
    if (positions === undefined) byTerm.set(term, [position]);
    else positions.push(position);
  });
  const numbered = Array.from(
    byTerm,
    ([term, positions]) => [dictionary.numberOf(number, term), positions] as const,
  ).sort(([a], [b]) => a - b);
  sink.field(number, tokens);
  termBytes.clear();
  positionBytes.clear();
  let last = 0;
  for (const [term, positions] of numbered) {
    termBytes.push(term - last);
    termBytes.push(positions.length);
    last = term;
    sink.term(number, term, positions);
    let before = 0;
    for (const position of positions) {
      positionBytes.push(position - before);
      before = position;
    }
  }
  for (const head of [number, tokens, numbered.length, termBytes.length]) entry.push(head);
  entry.pushAll(termBytes);
  allPositions.push(positionBytes.length);
  allPositions.pushAll(positionBytes);
  return numbered.length;
}
