// Parses CSV files: each record becomes one line that names its columns.
import { CsvError, type Options, parse } from 'csv-parse/sync';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import type { TableRows } from '../tables/table-collector.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { bareRow, columnHeading, hasRoomForNames, loneRow, namedRow, oneLine } from './table-rows.ts';

/** Where nothing tells them apart, the first counts: numbers and sentences have commas, too. */
const DELIMITERS = [';', '\t', '|', ','] as const;
/** By which delimiters are told apart. */
const COMPARED_RECORDS = 10;
const COMPARED_CHARACTERS = 100_000;
const RAGGED = { relax_column_count: true, skip_empty_lines: true } as const;
const RELAXED = { ...RAGGED, relax_quotes: true } as const;

/**
 * Parses CSV. The first record names the columns. Records may be shorter or longer; a value beyond the named columns
 * is named by its column number. Where names would be most of a large text, they are a heading above bare rows.
 * @throws DocumentRefusal `corrupt` (an unclosed quote), `too-large` or `empty`
 */
export function parseCsv(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = decodeText(bytes);
  const writer = new DocumentWriter(limits);
  let columns: readonly string[] | undefined;
  let table: TableRows | undefined;
  let shape: CsvShape | undefined;
  let isNamed = true;
  let rows = 0;
  forEachRecord(text, (record) => {
    if (columns !== undefined) {
      const names = columns;
      rows++;
      if (shape?.mayShift(record)) table?.discard();
      table?.add(record);
      writer.add({
        kind: 'row',
        text: isNamed ? namedRow((at) => names[at], record.entries()) : bareRow(record),
      });
      return;
    }
    columns = record.map(oneLine);
    shape = new CsvShape(columns);
    table = writer.tables.begin({ name: '', columns, hasPlainNumbers: false });
    const sizes = { rows: linesIn(text), characters: text.length, charactersMax: limits.charactersMax };
    isNamed = hasRoomForNames(columns, sizes);
    if (!isNamed) writer.add({ kind: 'heading', level: 1, text: columnHeading(columns) });
  });
  if (rows === 0) writer.add({ kind: 'row', text: loneRow(columns ?? []) });
  return writer.finish('csv');
}

/** Finds records with cells that may stand in wrong columns, as those of `1,5` do where commas are the delimiters. */
class CsvShape {
  readonly #fields: number;
  readonly #named: number;
  readonly #lengths = new Set<number>();
  #isWide = false;

  constructor(names: readonly string[]) {
    this.#fields = names.length;
    this.#named = filledCells(names);
  }

  /** Records may have more empty fields at their end than the names have, if all of them do. */
  mayShift(record: readonly string[]): boolean {
    const filled = filledCells(record);
    if (filled === 0) return false;
    this.#isWide ||= record.length > this.#fields;
    this.#lengths.add(record.length);
    return filled > this.#named || (this.#isWide && this.#lengths.size > 1);
  }
}

/** How many cells there are up to the last one that is not empty. */
function filledCells(record: readonly string[]): number {
  return record.findLastIndex((cell) => cell.trim() !== '') + 1;
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Records are handed out one by one: as a list, millions of short ones would not fit in memory. */
function forEachRecord(text: string, visit: (record: readonly string[]) => void): void {
  try {
    parse(text, {
      ...RELAXED,
      delimiter: delimiterOf(text),
      on_record: (record: readonly string[]) => {
        visit(record);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw refusal('corrupt', { detail: `its CSV is invalid in line ${error.lines ?? 1}` });
  }
}

/**
 * The delimiter that cuts the first record into the most fields; of several, the one that cuts the most of the next ones
 * into as many.
 */
function delimiterOf(text: string): string {
  const start = text.slice(0, COMPARED_CHARACTERS);
  return bestDelimiter(start, {}) ?? bestDelimiter(start, RELAXED) ?? ',';
}

/** Null when no delimiter cuts anything. Quotes within fields, which only `options` may allow, tell wrong ones. */
function bestDelimiter(text: string, options: Options): string | null {
  const cuts = DELIMITERS.map((delimiter) => {
    const [first = 0, ...others] = fieldCounts(text, { ...options, delimiter });
    return { delimiter, first, alike: others.filter((count) => count === first).length };
  });
  const [best] = cuts.toSorted((a, b) => b.first - a.first || b.alike - a.alike);
  return best !== undefined && best.first > 1 ? best.delimiter : null;
}

/** How many fields each of the first records has, as far as they can be read. */
function fieldCounts(text: string, options: Options): readonly number[] {
  const counts: number[] = [];
  const on_record = ({ length }: readonly string[]) => {
    counts.push(length);
    return null;
  };
  try {
    parse(text, { ...RAGGED, ...options, to: COMPARED_RECORDS, on_record });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return counts;
}
