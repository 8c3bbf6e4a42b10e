// Picks the passages that answer a question best, without repetition.
import { inTurns } from '../../../../platform/turns.ts';
import { contentWords, shareContained } from '../../content-words.ts';
import type { Passage, RetrievedChunk, Similarity } from '../answer-model.ts';
import { passagesOf } from '../passages.ts';

export interface PickOptions {
  /** Below this similarity a passage does not answer the question. */
  readonly similarityMin: number;
  /** From this similarity on it does, whatever its words. In between it must contain words of the question. */
  readonly similaritySure: number;
  readonly passagesMax: number;
}

export const PICK_OPTIONS: PickOptions = { similarityMin: 0.25, similaritySure: 0.7, passagesMax: 4 };

/** A passage and its heading must contain more than this share of the question's words. */
const WORDS_HELD_MIN = 0.5;
/** Weight of the answer against repetition (Carbonell and Goldstein 1998, maximal marginal relevance). */
const RELEVANCE_WEIGHT = 0.7;
/** Minimum share of the best score: weaker passages only dilute the answer. */
const SCORE_SHARE_MIN = 0.6;
/** Passages that share more of their words than this count as repetition. */
const REPETITION_MAX = 0.8;
/** Bonus of the first chunk over the last. */
const RANK_BONUS = 0.05;
/** Bounds the work for one answer: the first chunks contain the answer. */
const CHUNKS_MAX = 16;
const CANDIDATES_MAX = 600;

interface Candidate {
  readonly passage: Passage;
  readonly score: number;
  readonly words: ReadonlySet<string>;
}

/**
 * Returns the best passages in the order of their files (the best file first) and of their positions.
 * @param chunks in the order of retrieval, the best first
 * @returns none when no passage answers the question
 */
export async function pickPassages(
  { question, chunks }: { readonly question: string; readonly chunks: readonly RetrievedChunk[] },
  similarity: Similarity,
  options: PickOptions = PICK_OPTIONS,
): Promise<Passage[]> {
  const questionWords = contentWords(question);
  const score = similarity(question);
  const passages = distinct(chunks.slice(0, CHUNKS_MAX).flatMap((chunk) => passagesOf(chunk)));
  const judged = await inTurns(passages.slice(0, CANDIDATES_MAX), (passage) => {
    const relevance = relevanceOf(passage, score);
    return answers({ passage, relevance }, questionWords, options)
      ? candidateOf(passage, relevance, chunks)
      : [];
  });
  return inDocumentOrder(mostRelevant(judged.flat(), options.passagesMax));
}

/** Similarity alone is not enough: a passage about something else of the same kind is as similar. */
function answers(
  { passage, relevance }: { readonly passage: Passage; readonly relevance: number },
  questionWords: ReadonlySet<string>,
  { similarityMin, similaritySure }: PickOptions,
): boolean {
  if (relevance < similarityMin) return false;
  if (relevance >= similaritySure) return true;
  const { text, chunk } = passage;
  const passageWords = contentWords(`${chunk.headings.at(-1) ?? ''} ${text}`);
  return shareContained(questionWords, passageWords) > WORDS_HELD_MIN;
}

/** Chunks overlap; a passage in two of them counts once, for the higher-ranked chunk. */
function distinct(passages: readonly Passage[]): Passage[] {
  const seen = new Set<string>();
  return passages.filter(({ chunk, start, end }) => {
    const place = `${chunk.fileId} ${start} ${end}`;
    return !seen.has(place) && seen.add(place);
  });
}

/**
 * A heading adds to a passage, but the passage must match itself: the mean is geometric, so that
 * a matching heading does not raise everything below it.
 */
function relevanceOf({ text, chunk }: Passage, score: ReturnType<Similarity>): number {
  const alone = score(text);
  const heading = chunk.headings.at(-1);
  if (heading === undefined || alone === 0) return alone;
  return Math.max(alone, Math.sqrt(alone * score(`${heading}: ${text}`)));
}

function candidateOf(passage: Passage, relevance: number, chunks: readonly RetrievedChunk[]): Candidate {
  const rank = chunks.indexOf(passage.chunk) / chunks.length;
  return {
    passage,
    score: relevance + RANK_BONUS * (1 - rank),
    words: contentWords(passage.text),
  };
}

function mostRelevant(candidates: readonly Candidate[], passagesMax: number): Candidate[] {
  const best = candidates.reduce((most, { score }) => Math.max(most, score), 0);
  const rest = new Set(candidates.filter(({ score }) => score >= best * SCORE_SHARE_MIN));
  const picked: Candidate[] = [];
  while (picked.length < passagesMax) {
    const next = marginalBest(rest, picked);
    if (next === undefined) break;
    rest.delete(next);
    picked.push(next);
  }
  return picked;
}

/** Returns the candidate that adds most; drops those that repeat picked ones. */
function marginalBest(rest: Set<Candidate>, picked: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const candidate of rest) {
    const repeats = Math.max(0, ...picked.map((other) => repetition(candidate.words, other.words)));
    const gain = RELEVANCE_WEIGHT * candidate.score - (1 - RELEVANCE_WEIGHT) * repeats;
    if (repeats > REPETITION_MAX) rest.delete(candidate);
    else if (gain > most) [best, most] = [candidate, gain];
  }
  return best;
}

/** Returns the share of the smaller set's words that the other contains. */
function repetition(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const smaller = Math.min(words.size, others.size);
  return smaller === 0 ? 0 : words.intersection(others).size / smaller;
}

function inDocumentOrder(picked: readonly Candidate[]): Passage[] {
  const files = [...new Set(picked.map(({ passage }) => passage.chunk.fileId))];
  const place = ({ chunk }: Passage): number => files.indexOf(chunk.fileId);
  return picked.map(({ passage }) => passage).sort((a, b) => place(a) - place(b) || a.start - b.start);
}
