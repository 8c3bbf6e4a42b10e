// Finds text columns and tables on a page whose text was drawn line by line across the page.
import type { PdfCell, PdfLine, RuledGrid } from './pdf-lines.ts';

/** Between the baselines of adjacent lines, in font sizes. */
const LEADING_RATIO_MAX = 3.5;
/** Between columns, in font sizes. */
const GUTTER_RATIO_MIN = 0.8;
/** A line may exceed its column by this much, in font sizes. */
const SLACK_RATIO = 0.5;
const ROWS_MIN = 2;
/**
 * A grid with at least this many lines, this much filled and with cells this long is text in columns, else a table.
 */
const COLUMN_LINES_MIN = 3;
const COLUMN_FILL_MIN = 0.7;
const COLUMN_CHARACTERS_MIN = 18;
const COLUMNS_MAX = 4;
const BETWEEN_CELLS = ' | ';
/** A line within a cell is closer to the one above than rows are to each other, by this share of the widest distance. */
const WRAPPED_GAP_SHARE_MAX = 0.8;
/** Rules of two lines this close are the same. */
const BORDER_POINTS = 3;

interface Band {
  readonly left: number;
  readonly right: number;
}

/** Puts lines in reading order; lines of tables become rows. */
export function arrangeGrids(lines: readonly PdfLine[]): PdfLine[] {
  const arranged: PdfLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const run = runFrom(lines, at);
    const bands = run.length < ROWS_MIN ? [] : bandsOf(run);
    if (bands.length < 2) {
      arranged.push(...lines.slice(at, at + Math.max(1, run.length)));
      at += Math.max(1, run.length);
      continue;
    }
    const whole = [...run, ...tailOf(lines, at + run.length, { run, bands })];
    arranged.push(...(isText(run, bands) ? inColumns(whole, bands) : asRows(whole, bandsOf(whole))));
    at += whole.length;
  }
  return arranged;
}

/** The longest run of consecutive lines with several cells each. */
function runFrom(lines: readonly PdfLine[], first: number): readonly PdfLine[] {
  let end = first;
  const isPart = (line: PdfLine | undefined): boolean =>
    line?.cells !== undefined || line?.grid !== undefined;
  while (isPart(lines[end]) && (end === first || isNext(lines[end - 1], lines[end]))) end++;
  return lines.slice(first, end);
}

/** Lines between rules are drawn cell by cell; only those of other grids and of none end them. */
function isNext(before: PdfLine | undefined, line: PdfLine | undefined): boolean {
  if (before?.grid === undefined || line?.grid === undefined)
    return before?.grid === line?.grid && isBelow(before, line);
  return before.page === line.page && isSameGrid(before.grid, line.grid);
}

function isSameGrid({ borders: a }: RuledGrid, { borders: b }: RuledGrid): boolean {
  return a.length === b.length && a.every((x, at) => Math.abs(x - (b[at] ?? x)) < BORDER_POINTS);
}

/** The lines below a grid that continue only some of its columns. */
function tailOf(
  lines: readonly PdfLine[],
  first: number,
  { run, bands }: { readonly run: readonly PdfLine[]; readonly bands: readonly Band[] },
): readonly PdfLine[] {
  let end = first;
  if (run[0]?.grid !== undefined) return [];
  for (
    let before = run.at(-1);
    isBelow(before, lines[end]) && fits(lines[end], bands);
    before = lines[end++]
  );
  return lines.slice(first, end);
}

function isBelow(above: PdfLine | undefined, line: PdfLine | undefined): boolean {
  if (above === undefined || above.page !== line?.page) return false;
  const gap = above.y - line.y;
  return gap > 0 && gap <= Math.max(above.size, line.size) * LEADING_RATIO_MAX;
}

/** Whether every cell of a line is within one column; one that begins where its column does may be longer than those above. */
function fits(line: PdfLine | undefined, bands: readonly Band[]): boolean {
  if (line === undefined) return false;
  const slack = line.size * SLACK_RATIO;
  return cellsOf(line).every(({ left, right }) =>
    bands.some((band, at) => {
      if (left >= band.left - slack && right <= band.right + slack) return true;
      const next = bands[at + 1]?.left ?? Number.POSITIVE_INFINITY;
      return Math.abs(left - band.left) <= slack && right <= next - line.size * GUTTER_RATIO_MIN;
    }),
  );
}

/** The columns of a run: cells that overlap horizontally share one. */
function bandsOf(run: readonly PdfLine[]): readonly Band[] {
  const borders = run[0]?.grid?.borders;
  if (borders !== undefined)
    return borders.slice(1).map((right, at) => ({ left: borders[at] ?? right, right }));
  const gutter = Math.max(...run.map(({ size }) => size)) * GUTTER_RATIO_MIN;
  const cells = run.flatMap(cellsOf).toSorted((a, b) => a.left - b.left);
  const bands: Band[] = [];
  for (const { left, right } of cells) {
    const last = bands.at(-1);
    if (last === undefined || left - last.right >= gutter) bands.push({ left, right });
    else bands[bands.length - 1] = { left: last.left, right: Math.max(last.right, right) };
  }
  return bands;
}

function isText(run: readonly PdfLine[], bands: readonly Band[]): boolean {
  if (run[0]?.grid !== undefined) return false;
  if (run.length < COLUMN_LINES_MIN || bands.length > COLUMNS_MAX) return false;
  const cells = run.flatMap(cellsOf);
  const characters = cells.reduce((sum, { text }) => sum + text.length, 0) / cells.length;
  const filled = cells.reduce((sum, { left, right }) => sum + right - left, 0);
  const room = bands.reduce((sum, { left, right }) => sum + right - left, 0) * run.length;
  return characters >= COLUMN_CHARACTERS_MIN && filled / room >= COLUMN_FILL_MIN;
}

/** Puts the lines of one column after those of another. */
function inColumns(run: readonly PdfLine[], bands: readonly Band[]): PdfLine[] {
  return bands.flatMap((band) => run.flatMap((line) => partIn(band, line)));
}

function partIn(band: Band, line: PdfLine): PdfLine[] {
  const own = cellsOf(line).filter(({ left, right }) => {
    const middle = (left + right) / 2;
    return middle >= band.left && middle <= band.right;
  });
  const [first] = own;
  if (first === undefined) return [];
  const { cells: _, ...whole } = line;
  const text = own.map((cell) => cell.text).join(' ');
  return [{ ...whole, text, left: first.left, right: own.at(-1)?.right ?? first.right }];
}

/**
 * Makes rows with a cell for each column. A line goes on in the cells above where no rule divides them; without rules,
 * where its first column is empty and it is close.
 */
function asRows(run: readonly PdfLine[], bands: readonly Band[]): PdfLine[] {
  const rows: (PdfLine & { readonly row: readonly string[] })[] = [];
  const pitch = Math.max(0, ...gapsBelow(run));
  for (const [at, line] of run.entries()) {
    const row = bands.map((band) => partIn(band, line)[0]?.text ?? '');
    const last = rows.at(-1);
    const gap = (run[at - 1]?.y ?? line.y) - line.y;
    const isWrapped =
      line.grid?.rowTop === undefined
        ? row[0] === '' && gap < pitch * WRAPPED_GAP_SHARE_MAX
        : last?.grid?.rowTop === line.grid.rowTop;
    if (last !== undefined && isWrapped) {
      const joined = last.row.map((cell, column) => `${cell} ${row[column] ?? ''}`.trim());
      rows[rows.length - 1] = { ...last, row: joined, text: joined.join(BETWEEN_CELLS), y: line.y };
    } else rows.push({ ...line, row, text: row.join(BETWEEN_CELLS) });
  }
  return rows;
}

/** Distances between the lines that begin a row. */
function gapsBelow(run: readonly PdfLine[]): readonly number[] {
  return run.slice(1).map((line, at) => (run[at]?.y ?? line.y) - line.y);
}

/** The cells of a line; a line without gaps is one cell. */
function cellsOf(line: PdfLine): readonly PdfCell[] {
  const { cells, text, left, right } = line;
  return cells === undefined || cells.length === 0 ? [{ text, left, right }] : cells;
}
