// Joins the pieces of text that a PDF page draws into lines with positions and sizes.

/** One piece of text, as the PDF reader reports it. */
export interface PdfTextItem {
  readonly str: string;
  /** Scale, shear and position: [a, b, c, d, x, y], in points from the lower left corner. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly hasEOL: boolean;
}

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
  /** Set for rows of tables, whose text is that of their cells. */
  readonly isRow?: true;
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

/** The lines of a page in drawing order, without blank ones. */
export function linesOf(items: readonly PdfTextItem[], page: number): PdfLine[] {
  const lines: PdfLine[] = [];
  let pending: PdfTextItem[] = [];
  const flush = (): void => {
    const line = lineOf(pending, page);
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

function lineOf(items: readonly PdfTextItem[], page: number): PdfLine | undefined {
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
  const cells = slope === 0 ? cellsOf(inked, size * CELL_GAP_RATIO) : [];
  return { text, page, size, left, right, y, ...(cells.length > 1 && { cells }) };
}

/** Splits pieces in drawing order at wide gaps. The reader has turned smaller distances into spaces. */
function cellsOf(inked: readonly PdfTextItem[], gapMin: number): readonly PdfCell[] {
  const cells: PdfCell[] = [];
  for (const { str, transform, width } of inked) {
    const left = transform[4] ?? 0;
    const right = left + width;
    const before = cells.at(-1);
    const gap = before === undefined ? 0 : left - before.right;
    if (before === undefined || gap > gapMin || right < before.left) {
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
