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
  let before = '';
  const cited = (part: MarkedPart): AnswerPart | null => {
    if (part.type === 'mark') return quoteOf(part.numbers, chunks, before);
    before = (before + part.text).slice(-STATEMENT_CHARACTERS_MAX);
    return part;
  };
  for await (const piece of pieces) {
    for (const part of reader.read(piece)) yield* [cited(part)].filter((each) => each !== null);
  }
  for (const part of reader.end()) yield* [cited(part)].filter((each) => each !== null);
}

function quoteOf(
  numbers: readonly number[],
  chunks: readonly SourcedChunk[],
  before: string,
): AnswerPart | null {
  const statement = contentWords(before.trim().split(SENTENCE_END).at(-1) ?? '');
  const [first, ...rest] = [...new Set(numbers)].flatMap((number) => {
    const chunk = chunks[number - 1];
    return chunk === undefined ? [] : [backing(chunk, statement)];
  });
  return first === undefined ? null : { type: 'quote', passages: [first, ...rest] };
}

function backing(chunk: SourcedChunk, statement: ReadonlySet<string>): Passage {
  const whole: Passage = {
    chunk,
    text: chunk.text,
    start: chunk.start,
    end: chunk.start + chunk.text.length,
  };
  const scored = passagesOf(chunk).map((passage) => ({
    passage,
    score: shareContained(statement, contentWords(passage.text)),
  }));
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.find(({ score }) => score === best && best > 0)?.passage ?? whole;
}
