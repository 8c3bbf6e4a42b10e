// Tells headings, paragraphs and lists among the lines of a PDF by their sizes and the space between them.
import type { PictureText } from '../pictures/picture-model.ts';
import { joinDividedWords } from '../text/clean-text.ts';
import type { DocumentWriter } from '../text/document-writer.ts';
import { arrangeGrids } from './pdf-grids.ts';
import type { PdfLine } from './pdf-lines.ts';

/** Letters this much larger than the document's body make a heading. */
const HEADING_SIZE_RATIO = 1.12;
const HEADING_CHARACTERS_MAX = 200;
const HEADING_LEVELS = 6;
/** A paragraph ends where the space to the next line is this much more than usual. */
const PARAGRAPH_GAP_RATIO = 1.35;
/** Between baselines, in heights of letters, at the least. */
const USUAL_LEADING_RATIO = 1.2;
/** Gaps of more letter heights than this are between parts of a page, not between lines. */
const LEADING_RATIO_MAX = 3;
/** A line that ends left of this part of its page was ended by the author, not by the margin. */
const FULL_LINE_SHARE = 0.8;
const INDENT_RATIO = 0.8;
const BULLET = /^(?:[•◦▪▸‣∙·–—*-]|\(?\d{1,3}[.)])\s+\S/u;
const SENTENCE_END = /[.!?:;…。！？][)\]"'”’»]*$/u;

/**
 * Writes the lines of a whole document, in order.
 * @param pictures in the order of their pages; each goes behind the text of its page
 */
export function writePdfLines(
  lines: readonly PdfLine[],
  writer: DocumentWriter,
  pictures: readonly PictureText[] = [],
): void {
  const bodySize = bodySizeOf(lines);
  const levels = headingLevels(lines, bodySize);
  const waiting = [...pictures];
  const writePicturesBefore = (page: number): void => {
    for (let next = waiting[0]; next !== undefined && next.page < page; next = waiting[0]) {
      writer.add({ kind: 'paragraph', text: next.text, page: next.page });
      waiting.shift();
    }
  };
  for (const group of groups(arrangeGrids(lines))) {
    const [first] = group;
    if (first === undefined) continue;
    writePicturesBefore(first.page);
    if (first.isRow) {
      const text = group.map((row) => row.text).join('\n');
      writer.add({ kind: 'table', text, page: first.page });
      continue;
    }
    const text = joinLines(group);
    const level = text.length <= HEADING_CHARACTERS_MAX ? levels.get(first.size) : undefined;
    if (level !== undefined && /\p{L}/u.test(text)) {
      writer.add({ kind: 'heading', level, text: text.replaceAll('\n', ' '), page: first.page });
    } else {
      writer.add({ kind: BULLET.test(first.text) ? 'list' : 'paragraph', text, page: first.page });
    }
  }
  writePicturesBefore(Number.POSITIVE_INFINITY);
}

/** The size most letters have. */
function bodySizeOf(lines: readonly PdfLine[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of lines) letters.set(size, (letters.get(size) ?? 0) + text.length);
  return [...letters].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0];
}

/** Larger sizes are higher headings. */
function headingLevels(lines: readonly PdfLine[], bodySize: number): ReadonlyMap<number, number> {
  const sizes = new Set(
    lines.map((line) => line.size).filter((size) => size >= bodySize * HEADING_SIZE_RATIO),
  );
  const descending = [...sizes].sort((a, b) => b - a);
  return new Map(descending.map((size, rank) => [size, Math.min(rank + 1, HEADING_LEVELS)]));
}

/** Lines that belong together, page by page. */
function* groups(lines: readonly PdfLine[]): Generator<readonly PdfLine[]> {
  const gaps = usualGaps(lines);
  let group: PdfLine[] = [];
  for (const line of lines) {
    const before = group.at(-1);
    if (before !== undefined && !continues(before, line, gaps.get(line.size) ?? 0)) {
      yield group;
      group = [];
    }
    group.push(line);
  }
  if (group.length > 0) yield group;
}

/** The median distance between baselines, for each size of letters. */
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
  if (before.page !== line.page || before.isRow !== line.isRow) return false;
  if (before.isRow) return before.y > line.y;
  if (before.size !== line.size) return false;
  const gap = before.y - line.y;
  // Upwards is the next column: the text goes on there unless its sentence had ended.
  if (gap < 0) return !SENTENCE_END.test(before.text);
  const usual = Math.max(usualGap, line.size * USUAL_LEADING_RATIO);
  if (gap > usual * PARAGRAPH_GAP_RATIO) return false;
  const indented = line.left - before.left > line.size * INDENT_RATIO;
  return !(indented && SENTENCE_END.test(before.text));
}

/** Lines filled to the margin are one running text; the author's own line ends stay. */
function joinLines(group: readonly PdfLine[]): string {
  const right = group.reduce((most, line) => Math.max(most, line.right), 0);
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
