// Finds the terms of a run that an automaton accepts, or that have a prefix, without a look at most of the others.
import {
  type Automaton,
  type AutomatonState,
  accepts,
} from '../../../domain/full-text/automata/automaton.ts';
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { KEY_BYTES_MAX, type SharedBytes } from './layout.ts';
import { RunCursor, type TermRun } from './term-run.ts';
import { TextFilter } from './text-filter.ts';

/** Receives a term, in the order of the bytes. */
export type MatchVisitor = (text: string, term: number) => void;

export interface FieldRun {
  readonly memory: SharedBytes;
  readonly run: TermRun;
  readonly field: number;
}

/** Bytes of a key before the term. */
const FIELD_BYTES = 1;
/** Steps of the entries of a frame that are passed over, and of a key that the automaton reads. */
const STEPS_A_FRAME = 3_000;
const STEPS_A_KEY = 10;
/** Steps of a key that is passed over because it lacks a text. */
const STEPS_A_FILTERED_KEY = 4;
/** No term begins with it. */
const NO_CHARACTER = 0x10ffff;
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/** States of the automaton after the prefixes of the key last read, by their length in bytes. */
const states: (AutomatonState | null)[] = Array.from({ length: KEY_BYTES_MAX + 1 }, () => null);

/**
 * Visits the terms of a field that the automaton accepts. The automaton resumes where a key differs from the one before,
 * and keys that share a prefix with which nothing matches are passed over. Where a match may begin with any character, there
 * are no such prefixes: keys are passed over that lack the text which all matches contain.
 */
export function visitAccepted(
  source: FieldRun,
  automaton: Automaton,
  visiting: { readonly steps: QuerySteps; readonly visitor: MatchVisitor },
): void {
  const required = Buffer.from(automaton.required);
  const beginsAnyhow = automaton.step(automaton.start, NO_CHARACTER) !== null;
  if (beginsAnyhow && required.length > 0) visitContaining(source, { automaton, required, ...visiting });
  else visitByPrefixes(source, automaton, visiting);
}

interface Containing {
  readonly automaton: Automaton;
  readonly required: Uint8Array;
  readonly steps: QuerySteps;
  readonly visitor: MatchVisitor;
}

function visitContaining(
  { memory, run, field }: FieldRun,
  { automaton, required, steps, visitor }: Containing,
): void {
  if (required.length > KEY_BYTES_MAX - FIELD_BYTES) return;
  const cursor = new RunCursor(memory, run);
  const filter = new TextFilter(required);
  cursor.seek(Uint8Array.of(field), FIELD_BYTES);
  while (cursor.next()) {
    cursor.take();
    const keyField = cursor.key[0] ?? 0;
    if (keyField > field) return;
    const contains = filter.isIn(cursor, FIELD_BYTES) && keyField === field;
    steps.take(contains ? STEPS_A_KEY : STEPS_A_FILTERED_KEY);
    if (!contains) continue;
    const text = textOf(cursor);
    if (accepts(automaton, text)) visitor(text, cursor.term);
  }
}

function visitByPrefixes(
  { memory, run, field }: FieldRun,
  automaton: Automaton,
  { steps, visitor }: { readonly steps: QuerySteps; readonly visitor: MatchVisitor },
): void {
  const cursor = new RunCursor(memory, run);
  let frames = 0;
  cursor.seek(Uint8Array.of(field), FIELD_BYTES);
  states[FIELD_BYTES] = automaton.start;
  /** No key matches that has the first so many bytes of the last one read; 0 when that one may. */
  let dead = 0;
  while (cursor.next(dead)) {
    cursor.take();
    steps.take(STEPS_A_KEY + (cursor.frames - frames) * STEPS_A_FRAME);
    frames = cursor.frames;
    const keyField = cursor.key[0] ?? 0;
    if (keyField > field) return;
    dead = keyField < field ? FIELD_BYTES : deadPrefix(automaton, cursor);
    if (dead > 0) cursor.skipFrames(dead);
    else if (states[cursor.length]?.isMatch) visitor(textOf(cursor), cursor.term);
  }
}

/** Visits terms of a field that have a prefix, from the first on, until the visitor returns false. */
export function visitPrefixed(
  { memory, run, field }: FieldRun,
  prefix: string,
  visitor: (...match: Parameters<MatchVisitor>) => boolean,
): void {
  const wanted = Buffer.concat([Buffer.of(field), Buffer.from(prefix)]);
  const cursor = new RunCursor(memory, run);
  cursor.seek(wanted, wanted.length);
  while (cursor.next()) {
    cursor.take();
    const order = cursor.key.compare(wanted, 0, wanted.length, 0, Math.min(cursor.length, wanted.length));
    if (order > 0 || (order === 0 && !visitor(textOf(cursor), cursor.term))) return;
  }
}

/** Reads the rest of the key. @returns the length of its shortest prefix with which nothing matches; 0 without one */
function deadPrefix(automaton: Automaton, { key, length, shared }: RunCursor): number {
  let at = Math.max(FIELD_BYTES, shared);
  while (at > FIELD_BYTES && ((key[at] ?? 0) & CONTINUATION_MASK) === CONTINUATION) at--;
  let state = states[at] ?? null;
  while (at < length && state !== null) {
    const codePoint = codePointAt(key, at);
    at += bytesOf(codePoint);
    state = automaton.step(state, codePoint);
    states[at] = state;
  }
  return state === null ? at : 0;
}

function textOf({ key, length }: RunCursor): string {
  return key.toString('utf8', FIELD_BYTES, length);
}

function codePointAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return first;
  const rest = (i: number) => (bytes[at + i] ?? 0) & 0x3f;
  if (first < 0xe0) return ((first & 0x1f) << 6) | rest(1);
  if (first < 0xf0) return ((first & 0x0f) << 12) | (rest(1) << 6) | rest(2);
  return ((first & 0x07) << 18) | (rest(1) << 12) | (rest(2) << 6) | rest(3);
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
