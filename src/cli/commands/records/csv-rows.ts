// Rows of CSV, whose first line names the columns: cells that are JSON become such, unless they are to stay texts.
import { pipeline, Readable } from 'node:stream';
import type { FieldNames } from '../../../domain/imports/renamed-columns.ts';
import { renamed } from './field-names.ts';
import { textsOf } from './texts-of.ts';

const JSON_LIKE = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|\[.*\]|\{.*\})$/s;
/** Ids stay texts, also those of digits. */
const IDS = ['id', '_id'];

export interface CsvForm {
  /** Fields of records by the names that they have in the files. */
  readonly names: FieldNames;
  /** Fields of records that are texts, whatever their cells look like. */
  readonly textFields: Iterable<string>;
  /** Columns of files that a person wants as texts. */
  readonly textColumns: readonly string[];
}

/** Cells that are JSON numbers, lists, objects, true or false are read as such. Empty cells are absent. @throws Error */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  { names, textFields, textColumns }: CsvForm,
): AsyncGenerator<unknown> {
  const { parse } = await import('csv-parse');
  const parser = parse({ skip_empty_lines: true });
  // Whoever reads the parser is told of errors.
  pipeline(Readable.from(textsOf(bytes)), parser, () => undefined);
  const texts = new Set([...IDS, ...textFields, ...textColumns.map((name) => names.get(name) ?? name)]);
  let header: readonly string[] | null = null;
  for await (const cells of parser as AsyncIterable<readonly string[]>) {
    if (header === null) {
      header = checkedHeader(cells, textColumns);
      continue;
    }
    yield Object.fromEntries(
      Object.entries(renamed(namedCells(header, cells), names))
        .filter(([, text]) => text !== '')
        .map(([name, text]) => [name, texts.has(name) ? text : cellValue(text)]),
    );
  }
}

/** Spreadsheets end rows with empty cells of columns without names. @throws Error where several could have a value */
function namedCells(header: readonly string[], cells: readonly string[]): Readonly<Record<string, string>> {
  const named = header.flatMap((name, at): (readonly [string, string])[] => {
    const text = cells[at] ?? '';
    return name === '' && text === '' ? [] : [[name, text]];
  });
  const unnamed = named.find(([name]) => name === '');
  if (unnamed !== undefined && header.indexOf('') !== header.lastIndexOf(''))
    throw new Error(`the cell '${unnamed[1].slice(0, 40)}' is in one of several columns without names`);
  return Object.fromEntries(named);
}

/** The names of the columns. @throws Error for two of one name, of which one would be lost, and where one is not there */
function checkedHeader(names: readonly string[], wanted: readonly string[]): readonly string[] {
  const repeated = names.find((name, at) => name !== '' && names.indexOf(name) < at);
  if (repeated !== undefined) throw new Error(`two columns are named '${repeated}'`);
  const absent = wanted.find((name) => !names.includes(name));
  if (absent !== undefined) throw new Error(`there is no column '${absent}', which --text-columns names`);
  return names;
}

/** What looks like JSON and is none stays a text, as do whole numbers beyond 2^53: JSON numbers do not hold them. */
function cellValue(text: string): unknown {
  if (!JSON_LIKE.test(text)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'number') return value;
  const isHeld = /^-?\d+$/.test(text) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isHeld ? value : text;
}
