// Joins the pieces of text that a PDF page draws into lines with positions and sizes.
import { byDirection, type PdfTextItem, type QuarterTurns } from './pdf-direction.ts';
import { NO_RULES, type Rule, type Rules, turnedRules } from './pdf-rules.ts';

export interface PdfLine {
  readonly text: string;
  readonly page: number;
  /** Font size in points, rounded to halves: smaller differences are not intended. */
  readonly size: number;
  readonly left: number;
  readonly right: number;
  /** Distance of the baseline from the lower edge of the page, in points. */
  readonly y: number;
  /** The parts of a line with wide gaps, from left to right. */
  readonly cells?: readonly PdfCell[];
  /** Set for a line between the vertical rules of a table. */
  readonly grid?: RuledGrid;
  /** Set for rows of tables, whose text is that of their cells: one for each column, which may be empty. */
  readonly row?: readonly string[];
  /** The reader's name of the only font of the line. */
  readonly font?: string;
  /** Set where the text does not run to the right; positions are then those of the page turned back. */
  readonly turns?: QuarterTurns;
}

/** Where a line stands in a table with rules. */
export interface RuledGrid {
  /** Positions of the vertical rules, from left to right. */
  readonly borders: readonly number[];
  /** Height of the horizontal rule above: lines of one cell share it. */
  readonly rowTop: number | undefined;
}

/** A part of a line without wide gaps. */
export interface PdfCell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

const SIZE_STEPS_A_POINT = 2;
/** In font sizes. Wider gaps separate cells, not words. */
const CELL_GAP_RATIO = 1.6;
const WORD_GAPS_A_CELL_GAP = 10;
/** A line that is drawn more steeply, as slanted notes are, has no cells. */
const SLOPE_MAX = 0.01;
/** Rules this close to each other, or to text, are one, or beside it. In points. */
const RULE_POINTS = 2.5;
/** Pieces further apart, in font sizes, may be cells of a table with rules; so many make a page worth a look. */
const APART_RATIO_MIN = 0.35;
const APART_MIN = 2;

/** The lines of a page in drawing order, without blank ones. Text in other directions than most comes last. */
export function linesOf(items: readonly PdfTextItem[], page: number, rules: Rules = NO_RULES): PdfLine[] {
  return byDirection(items).flatMap(({ turns, items: own }) =>
    linesOfItems(own, page, turnedRules(rules, turns)).map((line) =>
      turns === 0 ? line : { ...line, turns },
    ),
  );
}

/** Whether lines of a page consist of pieces that stand apart by more than a blank, as the cells of a table do. */
export function mayHaveTable(items: readonly PdfTextItem[]): boolean {
  let apart = 0;
  let before: PdfTextItem | undefined;
  for (const item of items) {
    if (item.str.trim() === '') {
      if (item.hasEOL) before = undefined;
      continue;
    }
    if (before !== undefined && gapBetween(before, item) > APART_RATIO_MIN && ++apart === APART_MIN)
      return true;
    before = item.hasEOL ? undefined : item;
  }
  return false;
}

/** In font sizes, along the direction of the text. */
function gapBetween({ transform: a, width }: PdfTextItem, { transform: b }: PdfTextItem): number {
  const [x = 0, y = 0, , , left = 0, bottom = 0] = a;
  const size = Math.hypot(x, y) || 1;
  const along = ((b[4] ?? 0) - left) * (x / size) + ((b[5] ?? 0) - bottom) * (y / size);
  return (Math.abs(along) - Math.abs(width)) / size;
}

function linesOfItems(items: readonly PdfTextItem[], page: number, rules: Rules): PdfLine[] {
  const lines: PdfLine[] = [];
  let pending: PdfTextItem[] = [];
  const flush = (): void => {
    const line = lineOf(pending, page, rules);
    if (line !== undefined) lines.push(line);
    pending = [];
  };
  for (const item of items) {
    pending.push(item);
    if (item.hasEOL) flush();
  }
  flush();
  return lines;
}

function lineOf(items: readonly PdfTextItem[], page: number, rules: Rules): PdfLine | undefined {
  const text = items
    .map((item) => item.str)
    .join('')
    .trim();
  const inked = items.filter((item) => item.str.trim() !== '');
  const longest = inked.reduce<PdfTextItem | undefined>(
    (best, item) => (best !== undefined && best.str.length >= item.str.length ? best : item),
    undefined,
  );
  if (longest === undefined) return undefined;
  const [, slope = 0, shear = 0, scale = 0, , y = 0] = longest.transform;
  const size = Math.round(Math.hypot(shear, scale) * SIZE_STEPS_A_POINT) / SIZE_STEPS_A_POINT;
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  for (const item of inked) {
    const x = item.transform[4] ?? 0;
    left = Math.min(left, x);
    right = Math.max(right, x + item.width);
  }
  const isLevel = Math.abs(slope) < scale * SLOPE_MAX;
  const borders = isLevel ? bordersAround({ left, right, y, size }, rules.vertical) : [];
  const cells = isLevel ? cellsOf(inked, { gapMin: size * CELL_GAP_RATIO, borders }) : [];
  const grid =
    borders.length > 2 ? { borders, rowTop: ruleAbove({ left, y, size }, rules.horizontal) } : undefined;
  const font = inked.every(({ fontName }) => fontName === longest.fontName) ? longest.fontName : undefined;
  const place = { text, page, size, left, right, y };
  return {
    ...place,
    ...(cells.length > 1 && { cells }),
    ...(grid !== undefined && { grid }),
    ...(font !== undefined && { font }),
  };
}

/** The positions of the vertical rules that stand in a row, from left to right: those beside the line, and within it. */
function bordersAround(
  { left, right, y, size }: Pick<PdfLine, 'left' | 'right' | 'y' | 'size'>,
  rules: readonly Rule[],
): readonly number[] {
  const middle = y + size / 3;
  const positions = rules
    .filter(({ bottom, top }) => bottom <= middle && top >= middle)
    .map((rule) => (rule.left + rule.right) / 2)
    .sort((a, b) => a - b)
    .filter((x, at, all) => at === 0 || x - (all[at - 1] ?? x) > RULE_POINTS);
  const isInside =
    (positions[0] ?? right) <= left + RULE_POINTS && (positions.at(-1) ?? left) >= right - RULE_POINTS;
  return isInside ? positions : [];
}

/** The height of the nearest horizontal rule above a line. */
function ruleAbove(
  { left, y, size }: Pick<PdfLine, 'left' | 'y' | 'size'>,
  rules: readonly Rule[],
): number | undefined {
  const above = rules.filter(
    (rule) => rule.bottom > y + size / 3 && rule.left <= left + size && rule.right >= left,
  );
  return above.length === 0 ? undefined : Math.min(...above.map(({ bottom }) => bottom));
}

interface CellBounds {
  readonly gapMin: number;
  /** Positions of vertical rules. */
  readonly borders: readonly number[];
}

/** Splits pieces in drawing order at wide gaps and at rules. The reader has turned smaller distances into spaces. */
function cellsOf(inked: readonly PdfTextItem[], { gapMin, borders }: CellBounds): readonly PdfCell[] {
  const cells: PdfCell[] = [];
  for (const { str, transform, width } of inked) {
    const left = transform[4] ?? 0;
    const right = left + width;
    const before = cells.at(-1);
    const gap = before === undefined ? 0 : left - before.right;
    const isDivided = borders.some(
      (x) => before !== undefined && x >= before.right - RULE_POINTS && x <= left + RULE_POINTS,
    );
    if (before === undefined || gap > gapMin || right < before.left || isDivided) {
      cells.push({ text: str.trim(), left, right });
    } else {
      const between = gap > gapMin / WORD_GAPS_A_CELL_GAP ? ' ' : '';
      cells[cells.length - 1] = {
        text: `${before.text}${between}${str.trim()}`,
        left: Math.min(before.left, left),
        right: Math.max(before.right, right),
      };
    }
  }
  return cells.toSorted((a, b) => a.left - b.left);
}

/** Splits a line at its wide gaps into separate lines. */
export function partsOf(line: PdfLine): readonly PdfLine[] {
  const { cells, ...whole } = line;
  return cells === undefined ? [line] : cells.map((cell) => ({ ...whole, ...cell }));
}
