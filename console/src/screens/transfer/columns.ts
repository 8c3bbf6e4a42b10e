// What the columns of a file become: guessed from their names and first values, and chosen by a person.
import { Unreadable } from '../../../../src/file-formats/parquet/plain-rows.ts';
import type { Index } from '../../api/types.ts';
import { isDocumentIndex, textFieldOf } from '../index/index-kind.ts';
import type { Row } from './read-rows.ts';

export type Type = 'text' | 'number' | 'true or false' | 'list of texts' | 'vector' | 'object' | 'mixed';

/** `spread` takes the fields of an object one by one. */
export type Role = 'id' | 'values' | 'sparse' | 'text' | 'field' | 'spread' | 'none';

export interface Column {
  readonly name: string;
  /** That of the first rows, or text where a person wants the cells as they are. */
  readonly type: Type;
  /** That of the first rows. */
  readonly guessed: Type;
  readonly example: string;
  readonly role: Role;
}

const EXAMPLE_CHARS = 60;
const ID_NAMES: ReadonlySet<string> = new Set(['id', '_id']);
/** Of JSON and Parquet; the cells of CSV are texts all. */
const MAY_BE_ID: ReadonlySet<Type> = new Set(['text', 'number', 'mixed']);
const VALUE_NAMES: ReadonlySet<string> = new Set(['values', 'vector', 'embedding']);
const SPARSE_NAMES: ReadonlySet<string> = new Set(['sparse_values', 'sparseValues']);
const SPREAD_NAMES: ReadonlySet<string> = new Set(['metadata', '_metadata']);

/** The columns of the first rows, with a role for each. @param isText whether all values are texts, as in CSV */
export function guessColumns(index: Index, rows: readonly Row[], isText: boolean): readonly Column[] {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const guessed = names.map((name) => {
    const values = rows.flatMap(({ values: row }) => (name in row ? [row[name]] : []));
    const type = typeOf(values, isText);
    const example = exampleOf(values[0]).slice(0, EXAMPLE_CHARS);
    const role = ID_NAMES.has(name)
      ? isText || MAY_BE_ID.has(type)
        ? 'id'
        : 'none'
      : roleOf(index, name, type);
    return { name, type, guessed: type, example, role };
  });
  // One of another type needs a person who knows what tells the rows apart.
  if (guessed.some(({ name }) => ID_NAMES.has(name))) return guessed;
  // The first column of plain values is the likeliest one for ids.
  const first = guessed.findIndex(
    ({ type, role }) => role === 'field' && (type === 'text' || type === 'number'),
  );
  return guessed.map((column, at) => (at === first ? { ...column, role: 'id' } : column));
}

/** The roles that a column may have in the index, with their names. */
export function rolesFor(index: Index): readonly { readonly value: Role; readonly text: string }[] {
  const field = textFieldOf(index);
  const isDocuments = isDocumentIndex(index);
  const isSparse = index.vector_type === 'sparse';
  return [
    { value: 'id', text: 'Id' },
    ...(field === undefined ? [] : [{ value: 'text' as const, text: `Text to embed (${field})` }]),
    ...(isDocuments || field !== undefined || isSparse ? [] : [{ value: 'values' as const, text: 'Vector' }]),
    ...(isDocuments || field !== undefined ? [] : [{ value: 'sparse' as const, text: 'Sparse vector' }]),
    { value: 'field', text: isDocuments ? 'Field' : 'Metadata' },
    { value: 'spread', text: 'Object of fields' },
    { value: 'none', text: 'Leave out' },
  ];
}

/** What is missing before an import can start; undefined when nothing is. */
export function mappingProblem(index: Index, columns: readonly Column[]): string | undefined {
  const count = (role: Role) => columns.filter((column) => column.role === role).length;
  if (count('id') !== 1) return 'Choose one column for the ids';
  if (isDocumentIndex(index)) return undefined;
  const field = textFieldOf(index);
  if (field !== undefined) return count('text') === 1 ? undefined : 'Choose one column for the text to embed';
  const needed = index.vector_type === 'sparse' ? 'sparse' : 'values';
  return count(needed) === 1 ? undefined : 'Choose one column for the vectors';
}

function roleOf(index: Index, name: string, type: Type): Role {
  if (SPREAD_NAMES.has(name)) return 'spread';
  if (isDocumentIndex(index)) return type === 'mixed' ? 'none' : 'field';
  const field = textFieldOf(index);
  if (field !== undefined) return name === field ? 'text' : fieldRole(type);
  if (VALUE_NAMES.has(name)) return 'values';
  if (SPARSE_NAMES.has(name)) return 'sparse';
  return fieldRole(type);
}

function fieldRole(type: Type): Role {
  return type === 'vector' || type === 'object' || type === 'mixed' ? 'none' : 'field';
}

function exampleOf(value: unknown): string {
  if (value instanceof Unreadable) return value.problem;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** That of the values that can be read. Of a column without any, a person decides. */
function typeOf(all: readonly unknown[], isText: boolean): Type {
  const values = all.filter((value) => !(value instanceof Unreadable));
  if (values.length === 0) return 'mixed';
  const types = new Set(values.map((value) => (isText ? textType(String(value)) : valueType(value))));
  const [only = 'text'] = types;
  if (types.size === 1) return only;
  // A few numbers among texts are texts.
  return isText ? 'text' : 'mixed';
}

function valueType(value: unknown): Type {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'true or false';
  if (!Array.isArray(value)) return 'object';
  return value.length > 0 && value.every((each) => typeof each === 'number') ? 'vector' : 'list of texts';
}

/** Numbers with leading zeros are texts: postal codes, for example. */
export function isNumberText(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim());
}

function textType(text: string): Type {
  const trimmed = text.trim();
  if (isNumberText(trimmed)) return 'number';
  if (trimmed === 'true' || trimmed === 'false') return 'true or false';
  if (!/^[[{]/.test(trimmed)) return 'text';
  try {
    return valueType(JSON.parse(trimmed));
  } catch {
    return 'text';
  }
}
