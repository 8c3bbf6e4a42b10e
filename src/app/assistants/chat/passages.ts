// Divides chunks into the units that an answer quotes: sentences, rows, records and list items.
import { type Span, sentencesOf } from '../../../documents/port.ts';
import type { Passage, RetrievedChunk } from './answer-model.ts';

/** A blank line separates blocks in the text of every document. */
const BLOCK = /[^\n]+(?:\n[^\n]+)*/g;
/** Most lines of wrapped prose are wider than this, in columns; rows, items and addresses are often shorter. */
const WRAPPED_LINE_COLUMNS_MIN = 50;
const WRAPPED_SHARE_MIN = 0.75;
/** Characters of two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/gu;
const ITEM = /^\s*(?:[-*•]|\d{1,3}[.)])\s/;
const CELLS = / \| /;
/** A named value, like rows of CSV and JSON files. In prose some lines may match, but not all. */
const NAMED_VALUE = /^[^.!?]{1,80}: /;
const SENTENCE_END = /[.!?…。！？:]["'”’)\]]*$/u;
const TITLE_WORDS_MAX = 12;
const LEAD_WORDS_MAX = 3;
/** A longer sentence of few words is of a script without spaces. */
const LEAD_CHARACTERS_MAX = 24;
/** Lines of tables of contents: rows of dots that lead to a number. */
const CONTENTS = /(?:\. ?){4,}/;

/** `record`: a line that is whole by itself. `row`: of a table that has a header. `title`: names what follows. */
export type UnitKind = 'sentence' | 'record' | 'row' | 'item' | 'title';

export interface Unit extends Span {
  readonly text: string;
  readonly kind: UnitKind;
  /** Number of its block in the chunk. */
  readonly block: number;
}

/** Returns the units of a chunk in order; offsets are those in the text of the chunk. */
export function unitsOf({ text, headings, type }: RetrievedChunk): readonly Unit[] {
  const isData = type === 'json' || type === 'csv';
  return [...text.matchAll(BLOCK)].flatMap(({ 0: block, index }, number) => {
    if (CONTENTS.test(block)) return [];
    const isNamed = headings.includes(block) || isTitle(block);
    const whole: KindSpan = { start: 0, end: block.length, kind: 'title' };
    const spans = isNamed ? [whole] : spansOf(block, isData);
    return spans.map((span) => ({
      kind: span.kind,
      block: number,
      text: block.slice(span.start, span.end),
      start: index + span.start,
      end: index + span.end,
    }));
  });
}

/** Returns all passages of a chunk in order, without titles, which answer nothing. */
export function passagesOf(chunk: RetrievedChunk): readonly Passage[] {
  return unitsOf(chunk)
    .filter(({ kind }) => kind !== 'title')
    .map((unit) => passageOf(chunk, unit));
}

/** The passage of a part of a chunk. */
export function passageOf(chunk: RetrievedChunk, { start, end }: Span): Passage {
  return { chunk, text: chunk.text.slice(start, end), start: chunk.start + start, end: chunk.start + end };
}

interface KindSpan extends Span {
  readonly kind: UnitKind;
}

function isTitle(block: string): boolean {
  const short = !block.includes('\n') && block.split(/\s+/, TITLE_WORDS_MAX + 1).length <= TITLE_WORDS_MAX;
  // Headings of questions and answers end with a question mark.
  const goesOn = !SENTENCE_END.test(block) || block.endsWith('?');
  return short && goesOn && !/: |\|/.test(block) && block.length < 80 && !ITEM.test(block);
}

function spansOf(block: string, isData: boolean): readonly KindSpan[] {
  const lines = block.split('\n');
  if (isData || (lines.length > 1 && lines.every((line) => NAMED_VALUE.test(line))))
    return linesOf(lines, 'record');
  if (lines.some((line) => CELLS.test(line))) return joinedLines(lines, 'row', CELLS);
  if (lines.some((line) => ITEM.test(line))) return joinedLines(lines, 'item', ITEM);
  if (isWrapped(lines)) return withLeads(block).map((span) => ({ ...span, kind: 'sentence' }));
  return linesOf(lines, 'sentence').flatMap((line) =>
    sentencesOf(block.slice(line.start, line.end)).map((span) => ({
      start: line.start + span.start,
      end: line.start + span.end,
      kind: 'sentence' as const,
    })),
  );
}

/** The last line of prose may have any length. */
function isWrapped(lines: readonly string[]): boolean {
  const all = lines.slice(0, -1);
  const columns = (line: string): number => line.length + (line.match(WIDE)?.length ?? 0);
  const long = all.filter((line) => columns(line) >= WRAPPED_LINE_COLUMNS_MIN);
  return long.length >= all.length * WRAPPED_SHARE_MIN;
}

function linesOf(lines: readonly string[], kind: UnitKind): readonly KindSpan[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return { start, end: start + line.length, kind };
  });
}

/** A row or an item goes on in the lines below that begin none of their own. */
function joinedLines(lines: readonly string[], kind: UnitKind, begins: RegExp): readonly KindSpan[] {
  const joined: KindSpan[] = [];
  for (const [at, line] of linesOf(lines, kind).entries()) {
    const last = joined.at(-1);
    if (last === undefined || begins.test(lines[at] ?? '')) joined.push(line);
    else joined[joined.length - 1] = { ...last, end: line.end };
  }
  return joined;
}

/** Returns sentences; joins a very short one ("Restarts.", "No.") with the next, which gives it meaning. */
function withLeads(block: string): readonly Span[] {
  const spans: Span[] = [];
  let leadStart: number | undefined;
  for (const { start, end } of sentencesOf(block)) {
    const from = leadStart ?? start;
    const isLead = block.slice(from, end).split(/\s+/, LEAD_WORDS_MAX + 1).length <= LEAD_WORDS_MAX;
    const isUnspaced = end - from > LEAD_CHARACTERS_MAX;
    leadStart = isLead && !isUnspaced ? from : undefined;
    if (leadStart === undefined) spans.push({ start: from, end });
  }
  if (leadStart !== undefined) spans.push({ start: leadStart, end: block.trimEnd().length });
  return spans;
}
