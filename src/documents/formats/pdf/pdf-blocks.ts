// Groups the lines of a PDF into headings, paragraphs and lists by their sizes and spacing.
import { joinDividedWords } from '../../text/clean-text.ts';
import type { DocumentWriter } from '../../text/document-writer.ts';
import { arrangeGrids } from './pdf-grids.ts';
import type { PdfLine } from './pdf-lines.ts';
import { inReadingOrder } from './pdf-reading-order.ts';
import { withoutRunningHeads } from './pdf-running-heads.ts';
import { PdfTables } from './pdf-tables.ts';
import { titlesOf } from './pdf-titles.ts';

/** A line this many times larger than the body text is a heading. */
const HEADING_SIZE_RATIO = 1.12;
const HEADING_CHARACTERS_MAX = 200;
const HEADING_LEVELS = 6;
/** A paragraph ends where the gap to the next line is this many times the usual one. */
const PARAGRAPH_GAP_RATIO = 1.35;
/** The least usual distance between baselines, in font sizes. */
const USUAL_LEADING_RATIO = 1.2;
/** In font sizes. Larger gaps separate parts of a page, not lines. */
const LEADING_RATIO_MAX = 3;
/** A line that fills less than this share of the text width was ended by the author, not by the margin. */
const FULL_LINE_SHARE = 0.8;
const INDENT_RATIO = 0.8;
const BULLET = /^(?:[•◦▪▸‣∙·–—*-]|\(?\d{1,3}[.)])\s+\S/u;
const SENTENCE_END = /[.!?:;…。！？][)\]"'”’»]*$/u;

/** Text that is added to that of a page. */
export interface PageText {
  readonly page: number;
  readonly text: string;
  readonly kind: 'paragraph' | 'row';
}

/**
 * Writes the lines of a whole document in reading order, without running heads and page numbers.
 * @param added in page order; each is written after the text of its page
 */
export function writePdfLines(
  lines: readonly PdfLine[],
  writer: DocumentWriter,
  added: readonly PageText[] = [],
): void {
  const bodySize = bodySizeOf(lines);
  const levels = headingLevels(lines, bodySize);
  const waiting = [...added];
  const writeAddedBefore = (page: number): void => {
    for (let next = waiting[0]; next !== undefined && next.page < page; next = waiting[0]) {
      writer.add(next);
      waiting.shift();
    }
  };
  const tables = new PdfTables(writer);
  const arranged = arrangedLines(lines, bodySize);
  const titles = titlesOf(arranged, { bodySize, isLarge: (size) => levels.has(size) });
  for (const group of groups(arranged, titles)) {
    const [first] = group;
    if (first === undefined) continue;
    writeAddedBefore(first.page);
    if (first.row !== undefined) {
      tables.add(group);
      continue;
    }
    tables.end();
    const text = joinLines(group);
    const depth = titles.get(first);
    const level =
      depth === undefined
        ? levels.get(first.size)
        : Math.min(new Set(levels.values()).size + depth, HEADING_LEVELS);
    if (level !== undefined && text.length <= HEADING_CHARACTERS_MAX && /\p{L}/u.test(text)) {
      writer.add({ kind: 'heading', level, text: text.replaceAll('\n', ' '), page: first.page });
    } else {
      writer.add({ kind: BULLET.test(first.text) ? 'list' : 'paragraph', text, page: first.page });
    }
  }
  writeAddedBefore(Number.POSITIVE_INFINITY);
}

function arrangedLines(lines: readonly PdfLine[], bodySize: number): readonly PdfLine[] {
  const pages = Map.groupBy(withoutRunningHeads(lines, bodySize), ({ page }) => page);
  return arrangeGrids([...pages.values()].flatMap(inOrder));
}

/** Text in another direction follows what it stands beside. */
function inOrder(page: readonly PdfLine[]): readonly PdfLine[] {
  const directions = Map.groupBy(page, ({ turns = 0 }) => turns);
  return [...directions.values()].flatMap(inReadingOrder);
}

/** The font size of most characters. */
function bodySizeOf(lines: readonly PdfLine[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of lines) letters.set(size, (letters.get(size) ?? 0) + text.length);
  return [...letters].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0];
}

/** Maps font sizes to heading levels: the larger, the higher. */
function headingLevels(lines: readonly PdfLine[], bodySize: number): ReadonlyMap<number, number> {
  const sizes = new Set(
    lines.map((line) => line.size).filter((size) => size >= bodySize * HEADING_SIZE_RATIO),
  );
  const descending = [...sizes].sort((a, b) => b - a);
  return new Map(descending.map((size, rank) => [size, Math.min(rank + 1, HEADING_LEVELS)]));
}

/** Yields runs of lines that form one block, page by page. */
function* groups(
  lines: readonly PdfLine[],
  titles: ReadonlyMap<PdfLine, number>,
): Generator<readonly PdfLine[]> {
  const gaps = usualGaps(lines);
  let group: PdfLine[] = [];
  for (const line of lines) {
    const before = group.at(-1);
    const isTitle = before !== undefined && (titles.has(before) || titles.has(line));
    if (before !== undefined && (isTitle || !continues(before, line, gaps.get(line.size) ?? 0))) {
      yield group;
      group = [];
    }
    group.push(line);
  }
  if (group.length > 0) yield group;
}

/** The median distance between baselines, by font size. */
function usualGaps(lines: readonly PdfLine[]): ReadonlyMap<number, number> {
  const gaps = new Map<number, number[]>();
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before?.page !== line.page || before.size !== line.size) continue;
    const gap = before.y - line.y;
    if (gap <= 0 || gap > line.size * LEADING_RATIO_MAX) continue;
    const same = gaps.get(line.size);
    if (same === undefined) gaps.set(line.size, [gap]);
    else same.push(gap);
  }
  return new Map([...gaps].map(([size, all]) => [size, median(all)]));
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function continues(before: PdfLine, line: PdfLine, usualGap: number): boolean {
  if (before.page !== line.page || before.row?.length !== line.row?.length) return false;
  if (before.row !== undefined) return before.y > line.y;
  if (before.size !== line.size || before.turns !== line.turns) return false;
  const gap = before.y - line.y;
  // A step upwards leads to the next column, where an unfinished sentence continues.
  if (gap < 0) return !SENTENCE_END.test(before.text);
  const usual = Math.max(usualGap, line.size * USUAL_LEADING_RATIO);
  if (gap > usual * PARAGRAPH_GAP_RATIO) return false;
  const indented = line.left - before.left > line.size * INDENT_RATIO;
  return !(indented && SENTENCE_END.test(before.text));
}

/** Joins lines that reach the margin into running text; line ends that the author made stay. */
function joinLines(group: readonly PdfLine[]): string {
  const right = group.reduce((most, line) => Math.max(most, line.right), Number.NEGATIVE_INFINITY);
  const left = group.reduce((least, line) => Math.min(least, line.left), right);
  const full = left + (right - left) * FULL_LINE_SHARE;
  const ends = group.map((line, at) => {
    const next = group[at + 1];
    if (next === undefined) return line.text;
    return line.text + (line.right < full || BULLET.test(next.text) ? '\n\n' : '\n');
  });
  const divided = joinDividedWords(ends.join(''));
  return divided.replace(/\n+/g, (found) => (found === '\n' ? ' ' : '\n'));
}
