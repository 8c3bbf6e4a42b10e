// Picks the passages that answer a question best without saying the same thing twice.
import { inTurns } from '../../../../platform/turns.ts';
import { contentWords, shareContained } from '../../content-words.ts';
import type { Passage, RetrievedChunk, Similarity } from '../answer-model.ts';
import { passagesOf } from '../passages.ts';

export interface PickOptions {
  /** Below this similarity a passage does not answer the question. */
  readonly similarityMin: number;
  /** From this similarity on it does, in whatever words. Between the two it must hold words of the question. */
  readonly similaritySure: number;
  readonly passagesMax: number;
}

export const PICK_OPTIONS: PickOptions = { similarityMin: 0.25, similaritySure: 0.7, passagesMax: 4 };

/** More than this share of the question's words must be in a passage, or in the heading above it. */
const WORDS_HELD_MIN = 0.5;
/** Weight of the answer against repetition (Carbonell and Goldstein 1998, maximal marginal relevance). */
const RELEVANCE_WEIGHT = 0.7;
/** Of the best passage's score: what is much weaker than the best only dilutes it. */
const SCORE_SHARE_MIN = 0.6;
/** Passages that share more of their words than this say the same. */
const REPETITION_MAX = 0.8;
/** What the first chunk found has over the last. */
const RANK_BONUS = 0.05;
/** Bounds the work for one answer: of many chunks the first ones have what answers. */
const CHUNKS_MAX = 16;
const CANDIDATES_MAX = 600;

interface Candidate {
  readonly passage: Passage;
  readonly score: number;
  readonly words: ReadonlySet<string>;
}

/**
 * The best passages, in the order of their files (the best file first) and of their places in them.
 * @param chunks as retrieval ranked them, the best first
 * @returns none when no passage answers the question
 */
export async function pickPassages(
  { question, chunks }: { readonly question: string; readonly chunks: readonly RetrievedChunk[] },
  similarity: Similarity,
  options: PickOptions = PICK_OPTIONS,
): Promise<Passage[]> {
  const asked = contentWords(question);
  const score = similarity(question);
  const passages = distinct(chunks.slice(0, CHUNKS_MAX).flatMap((chunk) => passagesOf(chunk)));
  const judged = await inTurns(passages.slice(0, CANDIDATES_MAX), (passage) => {
    const relevance = relevanceOf(passage, score);
    return answers({ passage, relevance }, asked, options) ? candidateOf(passage, relevance, chunks) : [];
  });
  return inDocumentOrder(mostRelevant(judged.flat(), options.passagesMax));
}

/** Nearness in meaning alone is no answer: a question about something else of the same kind is as near. */
function answers(
  { passage, relevance }: { readonly passage: Passage; readonly relevance: number },
  asked: ReadonlySet<string>,
  { similarityMin, similaritySure }: PickOptions,
): boolean {
  if (relevance < similarityMin) return false;
  if (relevance >= similaritySure) return true;
  const { text, chunk } = passage;
  const held = contentWords(`${chunk.headings.at(-1) ?? ''} ${text}`);
  return shareContained(asked, held) > WORDS_HELD_MIN;
}

/** Chunks overlap; a passage of two of them counts once, for the chunk that ranks higher. */
function distinct(passages: readonly Passage[]): Passage[] {
  const seen = new Set<string>();
  return passages.filter(({ chunk, start, end }) => {
    const place = `${chunk.fileId} ${start} ${end}`;
    return !seen.has(place) && seen.add(place);
  });
}

/**
 * With the heading above it a passage says more, but it must say something itself: the mean is geometric, so that
 * a heading that fits the question does not lift everything below it.
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

/** The candidate that adds most; those that repeat what is picked are dropped for good. */
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

/** The share of the smaller set's words that are in the other. */
function repetition(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const smaller = Math.min(words.size, others.size);
  return smaller === 0 ? 0 : words.intersection(others).size / smaller;
}

function inDocumentOrder(picked: readonly Candidate[]): Passage[] {
  const files = [...new Set(picked.map(({ passage }) => passage.chunk.fileId))];
  const place = ({ chunk }: Passage): number => files.indexOf(chunk.fileId);
  return picked.map(({ passage }) => passage).sort((a, b) => place(a) - place(b) || a.start - b.start);
}
