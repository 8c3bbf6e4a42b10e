// Prints results: one line of JSON for programs, text and tables for people.
import type { JsonObject } from '../domain/json.ts';
import type { ParsedWords } from './arguments.ts';
import type { Io } from './command.ts';

/** @param text the output for people */
export function print(
  words: ParsedWords,
  io: Io,
  { json, text }: { readonly json: unknown; readonly text: string },
): void {
  io.out(words.flag('json') ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

/** The named fields of each row under their headings, in aligned columns. */
export function table(rows: readonly JsonObject[], columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns);
  const lines = [Object.values(columns), ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'number' ? value.toLocaleString('en-US') : String(value);
}
