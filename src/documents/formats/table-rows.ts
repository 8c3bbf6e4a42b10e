// Writes the records of tables as lines: each value with the name of its column, or bare values.

const BETWEEN_VALUES = '; ';
const BETWEEN_BARE_VALUES = ' | ';
/** Where the names of columns would make the text longer than this share of what is allowed, rows go without them. */
const NAMED_SHARE_MAX = 0.85;

/** A value with its column, from 0. */
export type Cell = readonly [column: number, value: string];

/** `City: Rome; Rate: 12`. A column without a name is named by its number, from 1. Empty values are left out. */
export function namedRow(nameOf: (column: number) => string | undefined, cells: Iterable<Cell>): string {
  const values: string[] = [];
  for (const [column, value] of cells) {
    const text = oneLine(value);
    if (text !== '') values.push(`${nameOf(column) || `column ${column + 1}`}: ${text}`);
  }
  return values.join(BETWEEN_VALUES);
}

/** `Rome | 12`; empty when all values are. */
export function bareRow(row: readonly string[]): string {
  const values = row.map(oneLine);
  return values.every((value) => value === '') ? '' : values.join(BETWEEN_BARE_VALUES);
}

/** The names of columns as the heading above bare rows. */
export function columnHeading(names: readonly string[]): string {
  return names.join(BETWEEN_BARE_VALUES);
}

/** The only row of a table, which would name columns. */
export function loneRow(names: readonly string[]): string {
  return names.join(BETWEEN_VALUES);
}

/**
 * Whether rows have room for the names of their columns.
 * @param characters the length of the values, at most
 * @param charactersMax what the text of the document may have
 */
export function hasRoomForNames(
  names: readonly string[],
  { rows, characters, charactersMax }: Record<'rows' | 'characters' | 'charactersMax', number>,
): boolean {
  const named = names.reduce((sum, name) => sum + name.length + 2 * BETWEEN_VALUES.length, 0);
  return characters + named * rows <= charactersMax * NAMED_SHARE_MAX;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
