// Puts the lines of a page into reading order where the file draws them in another one.
import type { PdfLine } from './pdf-lines.ts';

/** Pages with more lines keep their drawing order: candidates for gutters are compared with all lines. */
const LINES_MAX = 600;
/** Between columns, in font sizes. */
const GUTTER_RATIO_MIN = 0.8;
/** Lines of a column, at least, and the share of lines that may cross a gutter, as titles do. */
const COLUMN_LINES_MIN = 3;
const CROSSING_SHARE_MAX = 0.34;
/** Columns within columns. */
const DEPTH_MAX = 4;
/** A step upwards by less, in font sizes, is a superscript. */
const UP_RATIO_MIN = 0.5;
/** Pairs of lines beside each other, drawn in turn, that tell of columns. */
const BESIDE_MIN = 3;
const LEADING_RATIO_MAX = 2.5;

/**
 * Returns the lines of one page in reading order. A file whose lines go down, or up into the next column, is taken at its
 * word; else columns are read one after the other, between the lines that cross them.
 */
export function inReadingOrder(lines: readonly PdfLine[]): readonly PdfLine[] {
  if (lines.length > LINES_MAX) return lines;
  const peeled = withoutEdges(lines);
  const middle = isOutOfOrder(peeled.middle) ? ordered(peeled.middle, 0) : peeled.middle;
  return [...peeled.above, ...middle, ...peeled.below];
}

/** Heads that are drawn last, and feet that are drawn first, do not tell that the rest is out of order. */
function withoutEdges(lines: readonly PdfLine[]) {
  const down = lines.toSorted((a, b) => b.y - a.y);
  const [top, bottom] = [down[0]?.y, down.at(-1)?.y];
  const apartFrom = (y: number | undefined): boolean =>
    lines.every((line) => line.y === y || Math.abs(line.y - (y ?? line.y)) > line.size * LEADING_RATIO_MAX);
  const [isTopApart, isBottomApart] = [apartFrom(top), apartFrom(bottom)];
  const isEdge = ({ y }: PdfLine): boolean => (isTopApart && y === top) || (isBottomApart && y === bottom);
  const from = lines.findIndex((line) => !isEdge(line));
  const to = lines.findLastIndex((line) => !isEdge(line)) + 1;
  const edges = from < 0 ? [] : [...lines.slice(0, from), ...lines.slice(to)];
  return {
    above: edges.filter(({ y }) => y === top),
    middle: from < 0 ? lines : lines.slice(from, to),
    below: edges.filter(({ y }) => y !== top),
  };
}

function isOutOfOrder(lines: readonly PdfLine[]): boolean {
  let beside = 0;
  for (const [at, line] of lines.entries()) {
    const before = lines[at - 1];
    if (before === undefined) continue;
    const rise = line.y - before.y;
    if (rise > line.size * UP_RATIO_MIN && line.left < before.left + line.size) return true;
    const isDisjoint = line.left > before.right || line.right < before.left;
    if (rise < 0 && -rise < line.size * LEADING_RATIO_MAX && isDisjoint && ++beside === BESIDE_MIN)
      return true;
  }
  return false;
}

function ordered(lines: readonly PdfLine[], depth: number): readonly PdfLine[] {
  const down = lines.toSorted((a, b) => b.y - a.y || a.left - b.left);
  const gutter = depth < DEPTH_MAX ? gutterOf(down) : undefined;
  if (gutter === undefined) return down;
  const result: PdfLine[] = [];
  let left: PdfLine[] = [];
  let right: PdfLine[] = [];
  const endBand = (): void => {
    result.push(...ordered(left, depth + 1), ...ordered(right, depth + 1));
    left = [];
    right = [];
  };
  for (const line of down) {
    const side = sideOf(line, gutter);
    if (side === 'left') left.push(line);
    else if (side === 'right') right.push(line);
    else {
      endBand();
      result.push(line);
    }
  }
  endBand();
  return result;
}

interface Gutter {
  readonly left: number;
  readonly right: number;
}

function sideOf(line: PdfLine, gutter: Gutter): 'left' | 'right' | 'across' {
  if (line.right <= gutter.left) return 'left';
  return line.left >= gutter.right ? 'right' : 'across';
}

/** The gutter that the fewest lines cross, with the most lines on its lesser side. */
function gutterOf(lines: readonly PdfLine[]): Gutter | undefined {
  let best: { readonly gutter: Gutter; readonly across: number; readonly least: number } | undefined;
  for (const { right, size } of lines) {
    const gutter = { left: right, right: right + size * GUTTER_RATIO_MIN };
    const counts = { left: 0, right: 0, across: 0 };
    for (const line of lines) counts[sideOf(line, gutter)]++;
    const least = Math.min(counts.left, counts.right);
    if (least < COLUMN_LINES_MIN || counts.across > lines.length * CROSSING_SHARE_MAX) continue;
    const { across } = counts;
    if (best === undefined || across < best.across || (across === best.across && least > best.least)) {
      best = { gutter, across, least };
    }
  }
  return best?.gutter;
}
