// Finds the tables of a JSON value: lists of objects, whose keys are the columns.
import type { Json, JsonObject } from '../formats/json-records.ts';
import type { TableCollector } from './table-collector.ts';
import { TABLE_COLUMNS_MAX } from './table-model.ts';

/** Levels of objects around a list of records. */
const DEPTH_MAX = 8;
/** Levels of objects within a record whose values are columns. */
const RECORD_DEPTH_MAX = 5;
/** Objects with so many objects and nothing else are records with names. */
const COLLECTION_SIZE_MIN = 3;
const KEY_COLUMN = 'key';

/** Lists within records are no tables: their rows belong to several records. */
export function collectJsonTables(value: Json, tables: TableCollector): void {
  collect(value, { path: '', depth: 0 }, tables);
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function collect(value: Json, { path, depth }: Place, tables: TableCollector): void {
  if (value === null || typeof value !== 'object' || depth > DEPTH_MAX) return;
  if (isList(value)) {
    if (value.length > 0 && value.every(isObject)) addTable(path, value.map(valuesOf), tables);
    return;
  }
  const entries = Object.entries(value);
  if (entries.length >= COLLECTION_SIZE_MIN && entries.every(([, item]) => isObject(item))) {
    const records = entries.map(([key, item]) => new Map([[KEY_COLUMN, key], ...valuesOf(item)]));
    addTable(path, records, tables);
    return;
  }
  for (const [key, item] of entries) {
    collect(item, { path: path === '' ? key : `${path}.${key}`, depth: depth + 1 }, tables);
  }
}

type Values = ReadonlyMap<string, string>;

function addTable(name: string, records: readonly Values[], tables: TableCollector): void {
  const columns = new Map<string, number>();
  for (const record of records) {
    for (const key of record.keys()) if (!columns.has(key)) columns.set(key, columns.size);
    if (columns.size > TABLE_COLUMNS_MAX) return;
  }
  const names = [...columns.keys()];
  const table = tables.begin({ name, columns: names, hasPlainNumbers: true });
  for (const record of records) table.add(names.map((key) => record.get(key) ?? ''));
}

function valuesOf(record: Json): Values {
  const values = new Map<string, string>();
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
