// Picks the passages that answer a question best, with what stands around them.
import { inTurns } from '../../../../platform/turns.ts';
import { sharedFeatures, type TermWeights } from '../../retrieval/shared-features.ts';
import { titleOf } from '../../terms/chunk-terms.ts';
import type { Passage, RetrievedChunk, Similarity } from '../answer-model.ts';
import { type Unit, unitsOf } from '../passages.ts';
import { askedKind } from './asked-kind.ts';
import { QuestionCover } from './question-cover.ts';
import { comparedText, isHeader, passagesAround } from './surroundings.ts';

/** Chunks that are quoted, and chunks that tell how rare words are. */
const CHUNKS_QUOTED = 5;
const CHUNKS_READ = 8;
/** Bounds the work for one answer. */
const UNITS_MAX = 800;
const QUOTES_MAX = 3;
const NEAREST_MAX = 2;
/** What the parts of a unit's score weigh; measured in bench/answers. */
const COVER_WEIGHT = 0.25;
/** Of the question's terms that the unit has together with its heading, and with those beside it. */
const HEADED_COVER_WEIGHT = 0.1;
const NEARBY_COVER_WEIGHT = 0.15;
const SIMILARITY_WEIGHT = 0.35;
const LETTERS_WEIGHT = 0.2;
/** Of a unit that begins with the question's most telling term, as definitions do. */
const BEGINNING_BONUS = 0.12;
const BEGINNING_CHARACTERS = 32;
/** Of a unit with a number or name where the question asks for one. */
const KIND_BONUS = 0.08;
/** Of the first chunk, over the last. */
const RANK_BONUS = 0.1;
/** Candidates for quotes, and what terms weigh that the quotes before lack. */
const CANDIDATES_MAX = 48;
const ADDED_COVER_WEIGHT = 0.5;
/** Weaker quotes only dilute the best one. */
const SCORE_SHARE_MIN = 0.75;
/** A quote answers when it, with its title, has this share of the question's telling terms by weight, */
const COVER_MIN = 0.6;
/** or when both its words and its meaning are this near, */
const SURE_MIN = 0.7;
/** or when it begins with this share of the most telling term, as definitions do, and has this share of all. */
const BEGINNING_MIN = 0.8;
const DEFINING_COVER_MIN = 0.5;
/** Quotes that share more of their words than this repeat each other. */
const REPETITION_MAX = 0.8;

export interface Picked {
  /** The best first; each has the passages of one quote. */
  readonly quotes: readonly (readonly [Passage, ...Passage[]])[];
  /** False when no quote has enough of the question's own words. */
  readonly isAnswer: boolean;
}

export interface ExtractiveQuestion {
  /** With those before it that tell its subject. */
  readonly question: string;
  /** The question itself. */
  readonly own?: string | undefined;
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
  /** What it begins with, beside the question's most telling term: 0 to 1. */
  readonly beginning: number;
}

/** Returns the best quotes, at least one unless the chunks have no text. */
export async function pickPassages(
  { question, own, chunks, weights }: ExtractiveQuestion,
  similarity: Similarity,
): Promise<Picked> {
  const read = chunks.slice(0, CHUNKS_READ).map((chunk) => ({ chunk, units: unitsOf(chunk) }));
  const texts = read.flatMap(({ units }) => units.map(({ text }) => text));
  const cover = new QuestionCover({ question, own }, texts, weights);
  const scored = await scoredUnits({ question, own }, read.slice(0, CHUNKS_QUOTED), { cover, similarity });
  const candidates = scored
    .sort((a, b) => b.score - a.score)
    .slice(0, CANDIDATES_MAX)
    .map((each) => ({ ...each, passages: passagesAround(each) }));
  const quotes = complementary(candidates, cover);
  if (quotes.length === 0) return { quotes: [], isAnswer: false };
  const isAnswer = quotes.some(({ chunk, passages, similarity: near, beginning }) => {
    const whole = cover.of(`${titleText(chunk)}\n${textOf(passages)}`);
    const isDefining = beginning >= BEGINNING_MIN && whole >= DEFINING_COVER_MIN;
    return whole >= COVER_MIN || (near >= SURE_MIN && whole > 0) || isDefining;
  });
  return {
    quotes: quotes.slice(0, isAnswer ? QUOTES_MAX : NEAREST_MAX).map(({ passages }) => passages),
    isAnswer,
  };
}

interface Candidate extends Scored {
  readonly passages: readonly [Passage, ...Passage[]];
}

/** The best candidate, then those that are as good and have what the ones before lack. @param candidates the best first */
function complementary(candidates: readonly Candidate[], cover: QuestionCover): readonly Candidate[] {
  const quotes: Candidate[] = [];
  const least = (candidates[0]?.score ?? 0) * SCORE_SHARE_MIN;
  while (quotes.length < QUOTES_MAX) {
    const before = quotes.map(({ passages }) => textOf(passages)).join('\n');
    const held = cover.of(before);
    let best: Candidate | undefined;
    let most = least;
    for (const each of candidates) {
      if (quotes.some(({ passages }) => overlap(passages, each.passages))) continue;
      const added = quotes.length === 0 ? 0 : cover.of(`${before}\n${textOf(each.passages)}`) - held;
      const score = each.score + ADDED_COVER_WEIGHT * added;
      if (score > most || (best === undefined && score === most)) [best, most] = [each, score];
    }
    if (best === undefined) break;
    quotes.push(best);
  }
  return quotes;
}

interface Raters {
  readonly cover: QuestionCover;
  readonly similarity: Similarity;
}

async function scoredUnits(
  { question, own = question }: Pick<ExtractiveQuestion, 'question' | 'own'>,
  read: readonly { readonly chunk: RetrievedChunk; readonly units: readonly Unit[] }[],
  { cover, similarity }: Raters,
): Promise<Scored[]> {
  const near = similarity(question);
  const isKind = askedKind(own);
  const all = read
    .flatMap(({ chunk, units }, rank) => units.map((_, at) => ({ chunk, units, at, rank })))
    .filter((place) => !isHeader(place))
    .slice(0, UNITS_MAX);
  const texts = all.map(comparedText);
  const { grams } = await sharedFeatures(question, texts);
  return inTurns(all, ({ chunk, units, at, rank }, number) => {
    const text = texts[number] ?? '';
    const heading = chunk.headings.at(-1) ?? '';
    const alone = near(text);
    // A heading adds to a unit that matches itself, and does not raise everything below it.
    const headed = heading === '' || alone === 0 ? alone : Math.sqrt(alone * near(`${heading}: ${text}`));
    const closeness = Math.max(alone, headed);
    const beginning = cover.main(text.slice(0, BEGINNING_CHARACTERS));
    const score =
      COVER_WEIGHT * cover.of(text) +
      HEADED_COVER_WEIGHT * cover.of(`${heading}\n${text}`) +
      NEARBY_COVER_WEIGHT * cover.of(`${titleText(chunk)}\n${nearbyText(units, at)}`) +
      SIMILARITY_WEIGHT * closeness +
      LETTERS_WEIGHT * (grams[number] ?? 0) +
      (isKind?.(text) === true ? KIND_BONUS : 0) +
      BEGINNING_BONUS * beginning +
      RANK_BONUS * (1 - rank / CHUNKS_QUOTED);
    return { chunk, units, at, score, similarity: closeness, beginning };
  });
}

/** The unit with what stands right before and after it. */
function nearbyText(units: readonly Unit[], at: number): string {
  return units
    .slice(Math.max(0, at - 1), at + 2)
    .map(({ text }) => text)
    .join('\n');
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
