// Picks the passages that answer a question best, with what stands around them.
import { inTurns } from '../../../../platform/turns.ts';
import { sharedFeatures, type TermWeights } from '../../retrieval/shared-features.ts';
import { titleOf } from '../../terms/chunk-terms.ts';
import type { Passage, RetrievedChunk, Similarity } from '../answer-model.ts';
import { type Unit, unitsOf } from '../passages.ts';
import { QuestionCover } from './question-cover.ts';
import { passagesAround } from './surroundings.ts';

/** Chunks that are quoted, and chunks that tell how rare words are. */
const CHUNKS_QUOTED = 3;
const CHUNKS_READ = 8;
/** Bounds the work for one answer. */
const UNITS_MAX = 800;
const QUOTES_MAX = 3;
const NEAREST_MAX = 2;
/** What the parts of a unit's score weigh; measured in bench/answers. */
const COVER_WEIGHT = 0.45;
const SIMILARITY_WEIGHT = 0.35;
const LETTERS_WEIGHT = 0.2;
/** Of a unit that begins with the question's terms, as definitions do. */
const BEGINNING_BONUS = 0.12;
const BEGINNING_CHARACTERS = 32;
/** Of the first chunk, over the last. */
const RANK_BONUS = 0.1;
/** Weaker quotes only dilute the best one. */
const SCORE_SHARE_MIN = 0.75;
/** A quote answers when it, with its title, has this share of the question's telling terms by weight, */
const COVER_MIN = 0.6;
/** or when both its words and its meaning are this near. */
const SURE_MIN = 0.7;
/** Quotes that share more of their words than this repeat each other. */
const REPETITION_MAX = 0.8;

export interface Picked {
  /** The best first; each has the passages of one quote. */
  readonly quotes: readonly (readonly [Passage, ...Passage[]])[];
  /** False when no quote has enough of the question's own words. */
  readonly isAnswer: boolean;
}

export interface ExtractiveQuestion {
  readonly question: string;
  /** In the order of retrieval, the best first. */
  readonly chunks: readonly RetrievedChunk[];
  /** What its terms weigh, where known; else what they weigh among the chunks. */
  readonly weights?: TermWeights | undefined;
}

interface Scored {
  readonly chunk: RetrievedChunk;
  readonly units: readonly Unit[];
  /** Position in `units`. */
  readonly at: number;
  readonly score: number;
  readonly similarity: number;
}

/** Returns the best quotes, at least one unless the chunks have no text. */
export async function pickPassages(
  { question, chunks, weights }: ExtractiveQuestion,
  similarity: Similarity,
): Promise<Picked> {
  const read = chunks.slice(0, CHUNKS_READ).map((chunk) => ({ chunk, units: unitsOf(chunk) }));
  const texts = read.flatMap(({ units }) => units.map(({ text }) => text));
  const cover = new QuestionCover(question, texts, weights);
  const scored = await scoredUnits(question, read.slice(0, CHUNKS_QUOTED), { cover, similarity });
  const candidates = scored
    .sort((a, b) => b.score - a.score)
    .map((each) => ({ ...each, passages: passagesAround(each) }));
  const quotes: (typeof candidates)[number][] = [];
  const [best] = candidates;
  if (best === undefined) return { quotes: [], isAnswer: false };
  for (const each of candidates) {
    if (quotes.length === QUOTES_MAX || each.score < best.score * SCORE_SHARE_MIN) break;
    if (!quotes.some(({ passages }) => overlap(passages, each.passages))) quotes.push(each);
  }
  const isAnswer = quotes.some(({ chunk, passages, similarity: near }) => {
    const whole = cover.of(`${titleText(chunk)}\n${textOf(passages)}`);
    return whole >= COVER_MIN || (near >= SURE_MIN && whole > 0);
  });
  return {
    quotes: quotes.slice(0, isAnswer ? QUOTES_MAX : NEAREST_MAX).map(({ passages }) => passages),
    isAnswer,
  };
}

interface Raters {
  readonly cover: QuestionCover;
  readonly similarity: Similarity;
}

async function scoredUnits(
  question: string,
  read: readonly { readonly chunk: RetrievedChunk; readonly units: readonly Unit[] }[],
  { cover, similarity }: Raters,
): Promise<Scored[]> {
  const near = similarity(question);
  const all = read
    .flatMap(({ chunk, units }, rank) => units.map((_, at) => ({ chunk, units, at, rank })))
    .slice(0, UNITS_MAX);
  const texts = all.map(({ units, at }) => units[at]?.text ?? '');
  const { grams } = await sharedFeatures(question, texts);
  return inTurns(all, ({ chunk, units, at, rank }, number) => {
    const text = texts[number] ?? '';
    const heading = chunk.headings.at(-1) ?? '';
    const alone = near(text);
    // A heading adds to a unit that matches itself, and does not raise everything below it.
    const headed = heading === '' || alone === 0 ? alone : Math.sqrt(alone * near(`${heading}: ${text}`));
    const held = (cover.of(text) + cover.of(`${heading}\n${text}`)) / 2;
    const closeness = Math.max(alone, headed);
    const score =
      COVER_WEIGHT * held +
      SIMILARITY_WEIGHT * closeness +
      LETTERS_WEIGHT * (grams[number] ?? 0) +
      BEGINNING_BONUS * cover.of(text.slice(0, BEGINNING_CHARACTERS)) +
      RANK_BONUS * (1 - rank / CHUNKS_QUOTED);
    return { chunk, units, at, score, similarity: closeness };
  });
}

function titleText({ fileName = '', headings }: RetrievedChunk): string {
  return titleOf(fileName, headings);
}

function textOf(passages: readonly Passage[]): string {
  return passages.map(({ text }) => text).join('\n');
}

/** True when two quotes share a place or most of their words. */
function overlap(one: readonly Passage[], other: readonly Passage[]): boolean {
  const isSamePlace = one.some((a) =>
    other.some((b) => a.chunk.fileId === b.chunk.fileId && a.start < b.end && b.start < a.end),
  );
  if (isSamePlace) return true;
  const [words, others] = [one, other].map((each) => new Set(textOf(each).toLowerCase().split(/\s+/)));
  if (words === undefined || others === undefined) return false;
  return words.intersection(others).size > REPETITION_MAX * Math.min(words.size, others.size);
}
