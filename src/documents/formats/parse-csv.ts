// Parses CSV files: each record becomes one line that names its columns.
import { CsvError, parse } from 'csv-parse/sync';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const BETWEEN_VALUES = '; ';

const BETWEEN_BARE_VALUES = ' | ';
/** Where the names of columns would make the text longer than this share of what is allowed, rows go without them. */
const NAMED_SHARE_MAX = 0.85;

/**
 * Parses CSV. The first record names the columns. Records may be shorter or longer; a value beyond the named columns
 * is named by its column number. Where names would be most of a large text, they are a heading above bare rows.
 * @throws DocumentRefusal `corrupt` (an unclosed quote), `too-large` or `empty`
 */
export function parseCsv(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = decodeText(bytes);
  const writer = new DocumentWriter(limits);
  let columns: readonly string[] | undefined;
  let isNamed = true;
  let rows = 0;
  forEachRecord(text, (record) => {
    if (columns !== undefined) {
      rows++;
      writer.add({ kind: 'row', text: isNamed ? rowText(columns, record) : bareRow(record) });
      return;
    }
    columns = record.map(oneLine);
    isNamed = namedLength(text, columns) <= limits.charactersMax * NAMED_SHARE_MAX;
    if (!isNamed) writer.add({ kind: 'heading', level: 1, text: columns.join(BETWEEN_BARE_VALUES) });
  });
  if (rows === 0) writer.add({ kind: 'row', text: (columns ?? []).join(BETWEEN_VALUES) });
  return writer.finish('csv');
}

/** The length of the text with the names of columns in each row, at most. */
function namedLength(text: string, columns: readonly string[]): number {
  let rows = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) rows++;
  const names = columns.reduce((sum, name) => sum + name.length + 2 * BETWEEN_VALUES.length, 0);
  return text.length + names * rows;
}

function bareRow(row: readonly string[]): string {
  const values = row.map(oneLine);
  return values.every((value) => value === '') ? '' : values.join(BETWEEN_BARE_VALUES);
}

/** Records are handed out one by one: as a list, millions of short ones would not fit in memory. */
function forEachRecord(text: string, visit: (record: readonly string[]) => void): void {
  try {
    parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
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

/** The delimiter that is most frequent in the first line. */
function delimiterOf(text: string): string {
  const line = text.slice(0, text.search(/[\r\n]|$/));
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function rowText(columns: readonly string[], row: readonly string[]): string {
  const values = row.map((value, at) => {
    const text = oneLine(value);
    return text === '' ? '' : `${columns[at] || `column ${at + 1}`}: ${text}`;
  });
  return values.filter((value) => value !== '').join(BETWEEN_VALUES);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
