// Finds the tables of a JSON value: lists of objects, whose keys are the columns.
import type { Json, JsonObject } from '../formats/json-records.ts';
import type { TableCollector } from './table-collector.ts';
import { TABLE_COLUMNS_MAX } from './table-model.ts';
import { isUnclearNumber } from './unclear-numbers.ts';

/** Levels of objects around a list of records. */
const DEPTH_MAX = 8;
/** Levels of objects within a record whose values are columns. */
const RECORD_DEPTH_MAX = 5;
/** Objects with so many objects and nothing else are records with names. */
const COLLECTION_SIZE_MIN = 3;
const KEY_COLUMN = 'key';

/**
 * Lists within records are no tables: their rows belong to several records.
 * @param unclear of the same value with numbers as such, where `value` has texts to keep their digits
 */
export function collectJsonTables(value: Json, unclear: readonly boolean[], tables: TableCollector): void {
  let at = 0;
  for (const { path, records } of tablesIn(value, ROOT))
    addTable(path, { records: records.map(valuesOf), isUnclear: unclear[at++] ?? true }, tables);
}

/** Of each table, in order: whether a text in it is a number of thousands or a fraction. */
export function unclearTables(value: Json): readonly boolean[] {
  return Array.from(tablesIn(value, ROOT), ({ records }) => records.some(isUnclear));
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

const ROOT: Place = { path: '', depth: 0 };

/** The key of a record in a collection. */
type JsonRecord = readonly [key: string | null, record: JsonObject];

interface FoundTable {
  readonly path: string;
  readonly records: readonly JsonRecord[];
}

function* tablesIn(value: Json, { path, depth }: Place): Generator<FoundTable> {
  if (value === null || typeof value !== 'object' || depth > DEPTH_MAX) return;
  if (isList(value)) {
    if (value.length > 0 && value.every(isObject))
      yield { path, records: value.map((record) => [null, record]) };
    return;
  }
  const entries = Object.entries(value);
  const records = entries.flatMap(([key, item]): readonly JsonRecord[] =>
    isObject(item) ? [[key, item]] : [],
  );
  if (entries.length >= COLLECTION_SIZE_MIN && records.length === entries.length) {
    yield { path, records };
    return;
  }
  for (const [key, item] of entries) {
    yield* tablesIn(item, { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
  }
}

function isUnclear([key, record]: JsonRecord): boolean {
  return (key !== null && isUnclearNumber(key)) || hasUnclear(record, 0);
}

/** Within the levels of a record whose values are cells, and the next one, of lists. */
function hasUnclear(value: Json, depth: number): boolean {
  if (typeof value === 'string') return isUnclearNumber(value);
  if (value === null || typeof value !== 'object' || depth > RECORD_DEPTH_MAX + 1) return false;
  return Object.values(value).some((item) => hasUnclear(item, depth + 1));
}

type Values = ReadonlyMap<string, string>;

function addTable(
  name: string,
  { records, isUnclear }: { readonly records: readonly Values[]; readonly isUnclear: boolean },
  tables: TableCollector,
): void {
  const columns = new Map<string, number>();
  for (const record of records) {
    for (const key of record.keys()) if (!columns.has(key)) columns.set(key, columns.size);
    if (columns.size > TABLE_COLUMNS_MAX) return;
  }
  const names = [...columns.keys()];
  const table = tables.begin({ name, columns: names, hasPlainNumbers: !isUnclear });
  for (const record of records) table.add(names.map((key) => record.get(key) ?? ''));
}

function valuesOf([key, record]: JsonRecord): Values {
  const values = new Map<string, string>(key === null ? [] : [[KEY_COLUMN, key]]);
  const add = (value: Json, path: string, depth: number): void => {
    if (value === null) return;
    if (typeof value !== 'object') values.set(path, String(value));
    else if (isList(value)) {
      if (value.every((item) => item === null || typeof item !== 'object'))
        values.set(path, value.filter((item) => item !== null).join(', '));
    } else if (depth < RECORD_DEPTH_MAX) {
      for (const [key, item] of Object.entries(value))
        add(item, path === '' ? key : `${path}.${key}`, depth + 1);
    }
  };
  add(record, '', 0);
  return values;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !isList(value);
}
