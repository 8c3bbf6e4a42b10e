// Tables for terminals, no wider than they are; and the same rows as lines for programs.
import type { JsonObject } from '../../domain/json.ts';

/** The fields of a row in their order, with their headings. */
export type Columns = Readonly<Record<string, string>>;

const GAP = '  ';
/** A column is cut only down to this, so that its text can still be told from others. */
const CHARS_MIN = 8;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a stored text must not steer the terminal.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/**
 * Aligned columns under headings; numbers stand at the right. Where the terminal is narrower, the widest columns are
 * cut.
 */
export function table(rows: readonly JsonObject[], columns: Columns, width: number): string {
  const names = Object.keys(columns);
  const cells = rows.map((row) => names.map((name) => shown(row[name])));
  const isNumber = names.map((name) => rows.length > 0 && rows.every((row) => typeof row[name] === 'number'));
  const all = [Object.values(columns), ...cells];
  const natural = names.map((_, at) => Math.max(...all.map((line) => displayWidth(line[at] ?? ''))));
  const widths = fit(natural, width - GAP.length * (names.length - 1));
  return all
    .map((line) =>
      line
        .map((text, at) => aligned(cut(text, widths[at] ?? 0), widths[at] ?? 0, isNumber[at] ?? false))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** A line for each row: its fields with tabs between them, as `cut` and `awk` read them. */
export function lines(rows: readonly JsonObject[], columns: Columns): string {
  return rows
    .map(
      (row) =>
        `${Object.keys(columns)
          .map((name) => plain(row[name]))
          .join('\t')}\n`,
    )
    .join('');
}

/** Takes from the widest columns until all fit. */
function fit(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  for (let excess = sum(widths) - width; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= CHARS_MIN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (displayWidth(kept) + displayWidth(character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

function aligned(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return isRight ? space + text : text + space;
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  return typeof value === 'number' ? value.toLocaleString('en-US') : plain(value);
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replaceAll(CONTROLS, ' ');
}

/** Columns that a terminal needs for a text: two for wide characters, none for marks on others. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}|\p{Default_Ignorable_Code_Point}/u.test(character)) continue;
    width += isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

/** East Asian Wide and Fullwidth blocks (UAX 11), and emoji. */
function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
