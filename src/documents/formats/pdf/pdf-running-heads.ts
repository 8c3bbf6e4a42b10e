// Drops what stands at the edge of many pages: running heads, running feet and page numbers.
import type { PdfLine } from './pdf-lines.ts';

/** Lines of a head or a foot. */
const LEVELS_MAX = 2;
const PAGES_MIN = 3;
/** In points: lines of one level, and lines of two pages at the same height. */
const LEVEL_POINTS = 3;
const HEIGHT_POINTS = 6;
/** A head stands apart from the text by more than lines do, in font sizes. */
const APART_RATIO_MIN = 1.6;
/** A table may repeat the names of its columns at the top of each page; they stay. */
const CELLS_MAX = 2;
const PAGE_NUMBER =
  /^[-–—|([\s]*(?:(?:page|p\.|seite|s\.|pág(?:ina)?\.?|pagina)\s*)?(?:\d{1,5}|[ivxlc]{1,7})(?:\s*(?:\/|of|von|de|sur|di)\s*\d{1,5})?[-–—|)\]\s]*$/iu;
const SENTENCE_END = /[.!?。！？]$/u;
const NUMBERS = /\d+/g;

interface EdgeLine {
  readonly line: PdfLine;
  /** Equal for lines of different pages that may be the same head. */
  readonly key: string;
}

/** @param bodySize the font size of most text; larger lines are titles. */
export function withoutRunningHeads(lines: readonly PdfLine[], bodySize: number): readonly PdfLine[] {
  const pages = [...Map.groupBy(lines, ({ page }) => page).values()];
  const edges = pages.map((page) => ({
    top: levelsFrom(page, 'top'),
    bottom: levelsFrom(page, 'bottom'),
  }));
  const candidates = edges.flatMap(({ top, bottom }) => [...top.flat(), ...bottom.flat()]);
  const running = runningOf(
    candidates.filter(({ line }) => line.size <= bodySize || PAGE_NUMBER.test(line.text)),
    pages.length,
  );
  const dropped = new Set<PdfLine>();
  for (const levels of edges.flatMap(({ top, bottom }) => [top, bottom])) {
    for (const level of levels) {
      // From the edge inwards, as far as everything is a head.
      if (!level.every(({ line }) => running.has(line))) break;
      for (const { line } of level) dropped.add(line);
    }
  }
  return dropped.size === 0 || dropped.size === lines.length
    ? lines
    : lines.filter((line) => !dropped.has(line));
}

/** The outermost levels of lines that stand apart from the text; none where the edge does not. */
function levelsFrom(page: readonly PdfLine[], edge: 'top' | 'bottom'): readonly (readonly EdgeLine[])[] {
  const sign = edge === 'top' ? -1 : 1;
  const inwards = page.toSorted((a, b) => sign * (a.y - b.y));
  const levels: PdfLine[][] = [];
  for (const line of inwards) {
    const last = levels.at(-1)?.[0];
    if (last !== undefined && Math.abs(last.y - line.y) <= LEVEL_POINTS) levels.at(-1)?.push(line);
    else if (levels.length <= LEVELS_MAX) levels.push([line]);
    else break;
  }
  const depth = [1, LEVELS_MAX].find((count) => isApart(levels[count - 1], levels[count]));
  return levels.slice(0, depth ?? 0).map((level) =>
    level.map((line) => ({
      line,
      key: `${edge} ${Math.round(line.y / HEIGHT_POINTS)} ${shapeOf(line.text)}`,
    })),
  );
}

function isApart(outer: readonly PdfLine[] | undefined, inner: readonly PdfLine[] | undefined): boolean {
  const [a, b] = [outer?.[0], inner?.[0]];
  if (a === undefined) return false;
  return b === undefined || Math.abs(a.y - b.y) > Math.max(a.size, b.size) * APART_RATIO_MIN;
}

function runningOf(candidates: readonly EdgeLine[], pages: number): ReadonlySet<PdfLine> {
  const running = new Set<PdfLine>();
  for (const group of Map.groupBy(candidates, ({ key }) => key).values()) {
    const lines = group.map(({ line }) => line);
    if (isRunning(lines, pages)) for (const line of lines) running.add(line);
  }
  return running;
}

function isRunning(lines: readonly PdfLine[], pages: number): boolean {
  const [first] = lines;
  if (first === undefined || new Set(lines.map(({ page }) => page)).size < Math.min(PAGES_MIN, pages))
    return false;
  if (PAGE_NUMBER.test(first.text)) return pages > 1 && countsPages(lines);
  if (lines.length < PAGES_MIN) return false;
  if (lines.every(({ text }) => text === first.text)) return (first.cells?.length ?? 1) <= CELLS_MAX;
  return !SENTENCE_END.test(first.text) && countsPages(lines);
}

/** Whether one of the numbers grows with the pages, and all others stay. */
function countsPages(lines: readonly PdfLine[]): boolean {
  const rows = lines.map(({ page, text }) => ({ page, numbers: (text.match(NUMBERS) ?? []).map(Number) }));
  const [first] = rows;
  if (first === undefined || first.numbers.length === 0) return PAGE_NUMBER.test(lines[0]?.text ?? '');
  return first.numbers.every((number, at) => {
    const stays = rows.every(({ numbers }) => numbers[at] === number);
    return stays || rows.every(({ page, numbers }) => (numbers[at] ?? 0) - page === number - first.page);
  });
}

function shapeOf(text: string): string {
  return PAGE_NUMBER.test(text) ? '#' : text.toLowerCase().replace(NUMBERS, '#');
}
