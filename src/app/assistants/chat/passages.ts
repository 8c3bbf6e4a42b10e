// Divides chunks into the passages that an answer can quote: sentences, rows and list items.
import { type Span, sentencesOf } from '../../../documents/port.ts';
import type { Passage, RetrievedChunk } from './answer-model.ts';

/** A blank line separates blocks in the text of every document. */
const BLOCK = /[^\n]+(?:\n[^\n]+)*/g;
/** Lines of wrapped prose are longer than this; rows, items and addresses are often shorter. */
const WRAPPED_LINE_CHARACTERS_MIN = 50;
const ITEM = /^\s*(?:[-*•]|\d{1,3}[.)])\s| \| /;
/** A named value, like rows of CSV and JSON files. In prose some lines may match, but not all. */
const NAMED_VALUE = /^[^.!?]{1,80}: /;
const SENTENCE_END = /[.!?…。！？]["'”’)\]]*$/u;
const TITLE_WORDS_MAX = 12;
const LEAD_WORDS_MAX = 3;
const TOLD_SOMETHING = /\d|: | \| /;

/** Returns all passages of a chunk in order, without headings, which answer nothing. */
export function passagesOf(chunk: RetrievedChunk): Passage[] {
  const headings = new Set(chunk.headings);
  return [...chunk.text.matchAll(BLOCK)].flatMap(({ 0: block, index }) => {
    if (headings.has(block) || isTitle(block)) return [];
    return spansOf(block).map((span) => ({
      chunk,
      text: block.slice(span.start, span.end),
      start: chunk.start + index + span.start,
      end: chunk.start + index + span.end,
    }));
  });
}

function isTitle(block: string): boolean {
  const short = !block.includes('\n') && block.split(/\s+/, TITLE_WORDS_MAX + 1).length <= TITLE_WORDS_MAX;
  return short && !SENTENCE_END.test(block) && !TOLD_SOMETHING.test(block);
}

function spansOf(block: string): readonly Span[] {
  const lines = block.split('\n');
  const wrapped = lines.slice(0, -1).every((line) => line.length >= WRAPPED_LINE_CHARACTERS_MIN);
  const rows = lines.some((line) => ITEM.test(line)) || lines.every((line) => NAMED_VALUE.test(line));
  if (wrapped && !rows) return withLeads(block);
  let at = 0;
  return lines.flatMap((line) => {
    const start = at;
    at += line.length + 1;
    return sentencesOf(line).map((span) => ({ start: start + span.start, end: start + span.end }));
  });
}

/** Returns sentences; joins a very short one ("Restarts.", "No.") with the next, which gives it meaning. */
function withLeads(block: string): readonly Span[] {
  const spans: Span[] = [];
  let leadStart: number | undefined;
  for (const { start, end } of sentencesOf(block)) {
    const from = leadStart ?? start;
    const isLead = block.slice(from, end).split(/\s+/, LEAD_WORDS_MAX + 1).length <= LEAD_WORDS_MAX;
    leadStart = isLead ? from : undefined;
    if (!isLead) spans.push({ start: from, end });
  }
  if (leadStart !== undefined) spans.push({ start: leadStart, end: block.trimEnd().length });
  return spans;
}
