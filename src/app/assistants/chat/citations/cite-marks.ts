// Turns the marks of a model's answer into quotes: the passage of the snippet that best supports the text before the mark.

import { contentWords, shareContained } from '../../content-words.ts';
import type { Passage } from '../answer-model.ts';
import type { AnswerPart, SourcedChunk } from '../chat-provider.ts';
import { passagesOf } from '../passages.ts';
import { type MarkedPart, MarkReader } from './read-marks.ts';

/** Characters before a mark that it may support. */
const STATEMENT_CHARACTERS_MAX = 300;
const SENTENCE_END = /[.!?]\s+|\n/g;

/** Brackets that name no snippets stay as text. */
export async function* citeMarks(
  pieces: AsyncIterable<string>,
  chunks: readonly SourcedChunk[],
): AsyncGenerator<AnswerPart> {
  const reader = new MarkReader(chunks.length);
  const sources = new Sources(chunks);
  let before = '';
  const cited = (part: MarkedPart): AnswerPart | null => {
    if (part.type === 'mark') return sources.quote(part.numbers, before);
    before = (before + part.text).slice(-STATEMENT_CHARACTERS_MAX);
    return part;
  };
  for await (const piece of pieces) {
    for (const part of reader.read(piece)) yield* [cited(part)].filter((each) => each !== null);
  }
  for (const part of reader.end()) yield* [cited(part)].filter((each) => each !== null);
}

interface ReadPassage {
  readonly passage: Passage;
  readonly words: ReadonlySet<string>;
}

/** The chunks of an answer, each taken apart once: models may cite one many times. */
class Sources {
  readonly #chunks: readonly SourcedChunk[];
  readonly #passages = new Map<SourcedChunk, readonly ReadPassage[]>();

  constructor(chunks: readonly SourcedChunk[]) {
    this.#chunks = chunks;
  }

  /** @param numbers of chunks, from 1 */
  quote(numbers: readonly number[], before: string): AnswerPart | null {
    const statement = contentWords(before.trim().split(SENTENCE_END).at(-1) ?? '');
    const [first, ...rest] = [...new Set(numbers)].flatMap((number) => {
      const chunk = this.#chunks[number - 1];
      return chunk === undefined ? [] : [this.#backing(chunk, statement)];
    });
    return first === undefined ? null : { type: 'quote', passages: [first, ...rest] };
  }

  #backing(chunk: SourcedChunk, statement: ReadonlySet<string>): Passage {
    const scored = this.#passages
      .getOrInsertComputed(chunk, readPassages)
      .map(({ passage, words }) => ({ passage, score: shareContained(statement, words) }));
    const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
    return scored.find(({ score }) => score === best && best > 0)?.passage ?? wholeOf(chunk);
  }
}

function readPassages(chunk: SourcedChunk): readonly ReadPassage[] {
  return passagesOf(chunk).map((passage) => ({ passage, words: contentWords(passage.text) }));
}

function wholeOf(chunk: SourcedChunk): Passage {
  return { chunk, text: chunk.text, start: chunk.start, end: chunk.start + chunk.text.length };
}
