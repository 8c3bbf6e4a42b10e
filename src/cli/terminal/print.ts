// Prints results: one line of JSON for programs; for people text and, on terminals, tables.
import type { JsonObject } from '../../domain/json.ts';
import type { Io, ParsedWords } from '../command.ts';
import { type Columns, lines, table } from './table.ts';

/** @param text the output for people */
export function print(
  words: ParsedWords,
  io: Io,
  { json, text }: { readonly json: unknown; readonly text: string },
): void {
  io.out(words.flag('json') ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

export interface Rows {
  readonly json: unknown;
  /** Default the JSON, where it is a list. */
  readonly rows?: readonly JsonObject[];
  readonly columns: Columns;
}

/** A table on a terminal; elsewhere a line for each row, with tabs between its fields and without a heading. */
export function printRows(words: ParsedWords, io: Io, { json, rows, columns }: Rows): void {
  if (words.flag('json')) {
    io.out(`${JSON.stringify(json)}\n`);
    return;
  }
  const shown = rows ?? (Array.isArray(json) ? json : []);
  if (io.outColumns !== null) io.out(`${table(shown, columns, io.outColumns)}\n`);
  else io.out(lines(shown, columns));
}
