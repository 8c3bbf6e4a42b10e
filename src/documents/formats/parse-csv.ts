// Parses CSV files: each record becomes one line that names its columns.
import { CsvError, parse } from 'csv-parse/sync';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const BETWEEN_VALUES = '; ';

/**
 * Parses CSV. The first record names the columns. Records may be shorter or longer; a value beyond the named columns
 * is named by its column number.
 * @throws DocumentRefusal `corrupt` (an unclosed quote), `too-large` or `empty`
 */
export function parseCsv(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = decodeText(bytes);
  const writer = new DocumentWriter(limits);
  const records = recordsOf(text);
  const [header = [], ...rows] = records;
  const columns = header.map((name) => oneLine(name));
  if (rows.length === 0) writer.add({ kind: 'row', text: columns.join(BETWEEN_VALUES) });
  for (const row of rows) writer.add({ kind: 'row', text: rowText(columns, row) });
  return writer.finish('csv');
}

function recordsOf(text: string): string[][] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
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
