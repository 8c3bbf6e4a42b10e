// Extends the best unit of a chunk to a quote that can be understood: sentences around it, a row with its header.
import type { Passage, RetrievedChunk } from '../answer-model.ts';
import { passageOf, type Unit } from '../passages.ts';

const SENTENCES_MAX = 5;
const CHARACTERS_MAX = 800;
const CELLS = ' | ';
const DIGIT = /\d/;
const QUESTION_END = /[?？؟]$/u;

export interface PlacedUnit {
  readonly chunk: RetrievedChunk;
  readonly units: readonly Unit[];
  /** Position in `units`. */
  readonly at: number;
}

/** Returns the passages of the quote: one, or a header and a row. */
export function passagesAround(place: PlacedUnit): readonly [Passage, ...Passage[]] {
  const { chunk, units, at } = place;
  const unit = units[at];
  if (unit === undefined) throw new Error('the chunk has no such unit');
  if (unit.kind === 'record') return [passageOf(chunk, unit)];
  if (unit.kind === 'row') {
    const header = headerOf(place, unit);
    return header === undefined
      ? [passageOf(chunk, unit)]
      : [passageOf(chunk, unit), passageOf(chunk, header)];
  }
  return [passageOf(chunk, spanAround(place))];
}

/** True for the header of a table with rows: it answers nothing by itself. */
export function isHeader(place: PlacedUnit): boolean {
  const { units, at } = place;
  const next = units[at + 1];
  return next?.kind === 'row' && headerOf(place, next) === units[at];
}

/** What is compared with the question: a unit, or a row with the names of its columns. */
export function comparedText(place: PlacedUnit): string {
  const unit = place.units[place.at];
  if (unit === undefined) return '';
  const header = unit.kind === 'row' ? headerOf(place, unit) : undefined;
  return header === undefined ? unit.text : namedCells(unit.text, header.text);
}

/** `City: Rome; Rate: 12 euro`. */
export function namedCells(row: string, header: string): string {
  const names = header.split(CELLS);
  return row
    .split(CELLS)
    .map((cell, at) => `${names[at]?.trim()}: ${cell.trim()}`)
    .join('; ');
}

/** The first row of the table, if it has as many cells. Where a chunk goes on in a table, it has no header. */
function headerOf({ chunk, units }: PlacedUnit, row: Unit): Unit | undefined {
  const first = units.find(({ block }) => block === row.block);
  const cells = (unit: Unit): number => unit.text.split(CELLS).length;
  if (first === undefined || first === row || cells(first) !== cells(row)) return undefined;
  const goesOn = first.start === 0 && chunk.number > 0 && DIGIT.test(first.text);
  return goesOn ? undefined : first;
}

/**
 * The unit, then what follows and what precedes it by turns, more of the former: answers go on. A title before it belongs
 * to it, and ends what is above it; the next title ends it, and so does the page, which citations name. A question, as in
 * lists of them with their answers, is such a title.
 */
function spanAround({ chunk, units, at }: PlacedUnit): { readonly start: number; readonly end: number } {
  const pageAt = (unit: Unit | undefined): number | undefined =>
    chunk.pageStarts?.findLast(({ start }) => start <= chunk.start + (unit?.start ?? 0))?.page;
  const page = pageAt(units[at]);
  let [first, last] = [at, at];
  const fits = (from: number, to: number): boolean => {
    const length = (units[to]?.end ?? 0) - (units[from]?.start ?? 0);
    return to - from < SENTENCES_MAX && length <= CHARACTERS_MAX;
  };
  const grow = {
    after: () => {
      const next = units[last + 1];
      if (next === undefined || isTitle(next) || pageAt(next) !== page) return;
      if (fits(first, last + 1)) last++;
    },
    before: () => {
      const before = units[first - 1];
      if (before === undefined || isTitle(units[first]) || pageAt(before) !== page) return;
      if (fits(first - 1, last)) first--;
    },
  };
  for (const side of ['after', 'before', 'after', 'after', 'before', 'after'] as const) grow[side]();
  return { start: units[first]?.start ?? 0, end: units[last]?.end ?? 0 };
}

function isTitle(unit: Unit | undefined): boolean {
  return unit !== undefined && (unit.kind === 'title' || QUESTION_END.test(unit.text.trimEnd()));
}
