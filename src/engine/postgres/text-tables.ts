// The terms of full-text fields as tables: a row for each term of a record's field, and the sum of tokens of each field.

import { analyzeRecord } from '../../domain/full-text/scoring/record-analysis.ts';
import type { TextAnalysis } from '../../domain/full-text/text-analysis.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import { fromStoredText, toStoredText } from '../../platform/postgres/text-coding.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import type { Queryable } from './database.ts';
import type { TableNames } from './table-names.ts';

/** Rows of one insertion. */
const INSERTED_ROWS = 20_000;

interface TermRow {
  readonly field: string;
  readonly term: string;
  readonly id: string;
  readonly length: number;
  readonly positions: readonly number[];
}

type TextRecord = Pick<StorableRecord, 'id' | 'metadataJson'>;

/** A term as the tables have it. */
export function storedTerm(term: string): string {
  return toStoredText(term).toWellFormed();
}

export function termOf(stored: string): string {
  return fromStoredText(stored);
}

export class TextTables {
  readonly #names: TableNames;
  readonly #fields: ReadonlyMap<string, TextAnalysis>;

  constructor(names: TableNames, fields: ReadonlyMap<string, TextAnalysis>) {
    this.#names = names;
    this.#fields = fields;
  }

  /** Adds the terms of records that have none there. */
  async put(client: Queryable, namespace: number, records: readonly TextRecord[]): Promise<void> {
    const tokens = new Map<string, number>();
    let rows: TermRow[] = [];
    for (const { id, metadataJson } of records) {
      for (const [field, { length, terms }] of analyzeRecord(parseMetadata(metadataJson), this.#fields)) {
        tokens.set(field, (tokens.get(field) ?? 0) + length);
        for (const [term, positions] of terms)
          rows.push({ field, term: storedTerm(term), id, length, positions });
      }
      if (rows.length < INSERTED_ROWS) continue;
      await this.#insert(client, namespace, rows);
      rows = [];
    }
    if (rows.length > 0) await this.#insert(client, namespace, rows);
    await this.#count(client, namespace, tokens);
  }

  /** What follows the deletion `gone` of records of namespace $1 in one statement. */
  get removal(): string {
    const { texts, textFields } = this.#names;
    return `,
       terms_gone as (
         delete from ${texts} using gone where ${texts}.namespace = $1 and ${texts}.id = gone.id
         returning ${texts}.id, field, length),
       tokens_gone as (
         select field, sum(length) as tokens from (select distinct id, field, length from terms_gone) as each
         group by field),
       recounted as (
         update ${textFields} set tokens = ${textFields}.tokens - tokens_gone.tokens from tokens_gone
         where namespace = $1 and ${textFields}.field = tokens_gone.field)`;
  }

  /** Adds the terms of a namespace to those of another one. */
  async copy(client: Queryable, from: number, into: number): Promise<void> {
    const { texts, textFields } = this.#names;
    await client.query(
      `insert into ${texts} (namespace, field, term, id, length, positions)
       select $2, field, term, id, length, positions from ${texts} where namespace = $1`,
      [from, into],
    );
    await client.query(
      `insert into ${textFields} as known (namespace, field, tokens)
       select $2, field, tokens from ${textFields} where namespace = $1
       on conflict (namespace, field) do update set tokens = known.tokens + excluded.tokens`,
      [from, into],
    );
  }

  async #insert(client: Queryable, namespace: number, rows: readonly TermRow[]): Promise<void> {
    await client.query(
      `insert into ${this.#names.texts} (namespace, field, term, id, length, positions)
       select $1, field, term, id, length, positions::integer[]
       from unnest($2::text[], $3::text[], $4::text[], $5::integer[], $6::text[])
         as given (field, term, id, length, positions)`,
      [
        namespace,
        rows.map(({ field }) => storedTerm(field)),
        rows.map(({ term }) => term),
        rows.map(({ id }) => id),
        rows.map(({ length }) => length),
        rows.map(({ positions }) => `{${positions.join(',')}}`),
      ],
    );
  }

  async #count(client: Queryable, namespace: number, tokens: ReadonlyMap<string, number>): Promise<void> {
    if (tokens.size === 0) return;
    await client.query(
      `insert into ${this.#names.textFields} as known (namespace, field, tokens)
       select $1, * from unnest($2::text[], $3::bigint[])
       on conflict (namespace, field) do update set tokens = known.tokens + excluded.tokens`,
      [namespace, [...tokens.keys()].map(storedTerm), [...tokens.values()]],
    );
  }
}
