// Reads a table of PostgreSQL with a pgvector column, in the order of its primary key.
import pg from 'pg';
import { type JsonObject, membersOf, parseOwnJson } from '../../../domain/json.ts';
import { CliProblem, EXIT_UNREACHABLE } from '../../command.ts';
import { chosenName, parseExactly } from './foreign-client.ts';
import {
  type ForeignCollection,
  type ForeignPage,
  type ForeignRecord,
  type ForeignSource,
  PAGE_RECORDS,
  type SourceOptions,
  type TargetMetric,
} from './port.ts';

const METRICS: Readonly<Record<string, TargetMetric>> = {
  cosine: 'cosine',
  ip: 'dotproduct',
  l2: 'euclidean',
};

/** Columns of vectors with their dimensions, and the columns of the primary key. */
const COLUMNS = `
  SELECT a.attname AS name, a.atttypmod AS dimension, t.typname AS type, format_type(a.atttypid, a.atttypmod) AS cast,
    coalesce(i.indisprimary, false) AS is_key
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)
  WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`;

/** The operator classes of the indexes on a column, which tell how it is searched. */
const CLASSES = `
  SELECT o.opcname AS name FROM pg_index i
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] JOIN pg_opclass o ON o.oid = i.indclass[0]
  WHERE i.indrelid = $1::regclass AND a.attname = $2`;

/** Whole values of these columns, and of lists of them, are no exact numbers, however large they are. */
const FLOAT_TYPES: ReadonlySet<string> = new Set(['float4', 'float8', '_float4', '_float8']);

interface Column {
  readonly name: string;
  readonly dimension: number;
  readonly type: string;
  readonly cast: string;
  readonly is_key: boolean;
}

interface Row {
  readonly id: string;
  readonly vector: string | null;
  /** The other columns as JSON text. */
  readonly row: string;
}

export class PgvectorSource implements ForeignSource {
  readonly #pool: pg.Pool;
  readonly #table: string;
  readonly #wanted: string | null;
  #vector = '';
  #key: Column | null = null;
  #floats: readonly string[] = [];

  constructor({ url, key, collection, vector }: SourceOptions) {
    this.#pool = new pg.Pool({
      connectionString: url.href,
      max: 1,
      ...(key === null ? {} : { password: key }),
    });
    // A lost connection shows at the next query.
    this.#pool.on('error', () => undefined);
    this.#table = collection.split('.').map(quoted).join('.');
    this.#wanted = vector;
  }

  async describe(): Promise<ForeignCollection> {
    const columns = await this.#rows<Column>(COLUMNS, [this.#table]);
    const vectors = columns.filter(({ type }) => type === 'vector' || type === 'halfvec');
    const names = vectors.map(({ name }) => name);
    this.#vector = chosenName(names, this.#wanted, 'column of type vector or halfvec');
    const keys = columns.filter(({ is_key }) => is_key);
    if (keys.length !== 1) throw new CliProblem(`Table ${this.#table} needs a primary key of one column.`);
    this.#key = keys[0] ?? null;
    this.#floats = columns.filter(({ type }) => FLOAT_TYPES.has(type)).map(({ name }) => name);
    const [row] = await this.#rows<{ readonly records: string; readonly dimension: number | null }>(
      `SELECT count(*) AS records, max(vector_dims(${quoted(this.#vector)})) AS dimension FROM ${this.#table}`,
      [],
    );
    const declared = vectors.find(({ name }) => name === this.#vector)?.dimension ?? -1;
    const dimension = declared > 0 ? declared : row?.dimension;
    if (dimension === null || dimension === undefined)
      throw new CliProblem(`No row of ${this.#table} has a vector.`);
    return { dimension, metric: await this.#metric(), records: Number(row?.records) };
  }

  /** That of an index on the column; cosine without one. */
  async #metric(): Promise<TargetMetric> {
    const classes = await this.#rows<{ readonly name: string }>(CLASSES, [this.#table, this.#vector]);
    const found = classes.map(({ name }) => METRICS[/_(\w+)_ops$/.exec(name)?.[1] ?? '']);
    return found.find((metric) => metric !== undefined) ?? 'cosine';
  }

  async page(cursor: string | null): Promise<ForeignPage> {
    const [id, vector] = [quoted(this.#key?.name ?? ''), quoted(this.#vector)];
    const rows = await this.#rows<Row>(
      `SELECT t.${id}::text AS id, t.${vector}::text AS vector, (to_jsonb(t) - $1 - $2)::text AS row
      FROM ${this.#table} t ${cursor === null ? '' : `WHERE t.${id} > $3::${this.#key?.cast}`}
      ORDER BY t.${id} LIMIT ${PAGE_RECORDS}`,
      [this.#key?.name, this.#vector, ...(cursor === null ? [] : [cursor])],
    );
    return {
      records: rows.map((row) => recordOf(row, this.#floats)),
      next: rows.length < PAGE_RECORDS ? null : (rows.at(-1)?.id ?? null),
    };
  }

  async #rows<Each extends object>(sql: string, values: readonly unknown[]): Promise<readonly Each[]> {
    try {
      const { rows } = await this.#pool.query<Each>(sql, [...values]);
      return rows;
    } catch (error) {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      throw new CliProblem(`PostgreSQL refuses: ${reason}.`, EXIT_UNREACHABLE, error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/**
 * The vector is floats, however they are written; whole numbers of other columns may be larger than JavaScript's.
 * @param floats the other columns of floats
 */
export function recordOf({ id, vector, row }: Row, floats: readonly string[]): ForeignRecord {
  return {
    id,
    values: vector === null ? null : parseOwnJson<number[]>(vector),
    fields: { ...membersOf(parseExactly(row)), ...floatsOf(row, floats) },
  };
}

function floatsOf(row: string, names: readonly string[]): JsonObject {
  if (names.length === 0) return {};
  const fields = membersOf(parseOwnJson(row));
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : [])),
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
