// Full-text queries over tables of terms: SQL finds the candidates and their occurrences, the product's own rules score.

import { QuerySteps } from '../../domain/full-text/query-steps.ts';
import {
  type BoundNode,
  type BoundQuery,
  bindQuery,
  type RecordTerms,
  scoreRecord,
  type TermKey,
} from '../../domain/full-text/scoring/bound-query.ts';
import { scoreMax } from '../../domain/full-text/scoring/score-max.ts';
import {
  boundedExpansion,
  type ExpandingQuery,
  expansionOf,
  matchesTerm,
} from '../../domain/full-text/scoring/term-matcher.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import type { Queryable } from './database.ts';
import type { TextMatches } from './filter-sql.ts';
import type { NamespaceRow } from './namespaces.ts';
import { rowsInParts } from './rows-in-parts.ts';
import type { TableNames } from './table-names.ts';
import { storedTerm, termOf } from './text-tables.ts';

/** Different terms that are read at a time. */
const TERMS_READ = 10_000;
/** Ids that are read at a time. */
const IDS_READ = 10_000;
/** Steps of a term that is read and tested: a million different ones of a field are within the bound. */
const STEPS_A_TERM = 4;
/** Steps that a query may take for each position of its terms that was read: less than that costs. */
const STEPS_A_READ_POSITION = 20;

export interface TextScores {
  /** By the ids of all records that match. */
  readonly scores: ReadonlyMap<string, number>;
  /** See scoring/score-max.ts. */
  readonly max: number;
}

export interface TextSource {
  readonly client: Queryable;
  readonly row: NamespaceRow;
  readonly names: TableNames;
}

/** The scores of a query in a namespace. @throws invalid-argument for too many expansions */
export async function textScores(source: TextSource, query: TextQuery): Promise<TextScores> {
  const leaves = leavesOf(query);
  const expansions = new Map<ExpandingQuery, readonly string[]>();
  const steps = new QuerySteps();
  for (const leaf of leaves.expanding) expansions.set(leaf, await expand(source, leaf, steps));
  const expanded = [...expansions].flatMap(([{ field }, terms]) => terms.map((term) => ({ field, term })));
  const holders = await holdersOf(source, [...leaves.terms, ...expanded]);
  const tokens = await tokensOf(source);
  const bound = bindQuery(query, {
    statistics: (field) => ({ records: source.row.records, tokens: tokens.get(field) ?? 0 }),
    holders: (key) => holders.get(keyOf(key)) ?? 0,
    expand: (leaf) => expansions.get(leaf) ?? [],
  });
  const needed = neededTerms(bound.root, rarityOf(bound, holders));
  const found = await candidates(source, bound, { needed, steps });
  const scores = new Map<string, number>();
  for (const [id, terms] of found) {
    steps.allow(STEPS_A_READ_POSITION * terms.read);
    const score = scoreRecord(bound, terms);
    if (score !== null) scores.set(id, score);
  }
  const scoreOfOthers = needed === null ? scoreRecord(bound, new Occurrences(steps)) : null;
  if (scoreOfOthers !== null)
    for await (const ids of allIds(source))
      for (const { id } of ids) if (!found.has(id)) scores.set(id, scoreOfOthers);
  return { scores, max: scoreMax(bound) };
}

function rarityOf(bound: BoundQuery, holders: ReadonlyMap<string, number>): (term: number) => number {
  return (term) => {
    const key = bound.terms[term];
    return key === undefined ? 0 : (holders.get(keyOf(key)) ?? 0);
  };
}

function allIds({ client, row, names }: TextSource): AsyncIterable<readonly { readonly id: string }[]> {
  const sql = `select id from ${names.records} where namespace = $1`;
  return rowsInParts(client, { sql, values: [row.number], rowsMax: IDS_READ });
}

/** The ids that each query matches. */
export async function textMatches(source: TextSource, queries: readonly TextQuery[]): Promise<TextMatches> {
  const matches = new Map<TextQuery, readonly string[]>();
  for (const query of queries) matches.set(query, [...(await textScores(source, query)).scores.keys()]);
  return matches;
}

interface Leaves {
  readonly terms: readonly TermKey[];
  readonly expanding: readonly ExpandingQuery[];
}

function leavesOf(query: TextQuery): Leaves {
  switch (query.kind) {
    case 'all':
    case 'none':
      return { terms: [], expanding: [] };
    case 'term':
      return { terms: [query], expanding: [] };
    case 'phrase':
      return { terms: query.terms.map(({ term }) => ({ field: query.field, term })), expanding: [] };
    case 'phrasePrefix': {
      const terms = query.terms.slice(0, -1).map(({ term }) => ({ field: query.field, term }));
      return { terms, expanding: [query] };
    }
    case 'fuzzy':
    case 'regex':
      return { terms: [], expanding: [query] };
    case 'boost':
      return leavesOf(query.query);
    case 'bool': {
      const parts = [...query.must, ...query.should, ...query.mustNot].map(leavesOf);
      return {
        terms: parts.flatMap(({ terms }) => terms),
        expanding: parts.flatMap(({ expanding }) => expanding),
      };
    }
  }
}

/** Visits different terms in the order of their bytes, one look-up each, however many records have them. */
async function expand(
  { client, row, names }: TextSource,
  query: ExpandingQuery,
  steps: QuerySteps,
): Promise<readonly string[]> {
  const expansion = expansionOf(query);
  const first = expansion.kind === 'prefix' ? storedTerm(expansion.prefix) : '';
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const { rows }: { readonly rows: readonly { readonly term: string }[] } = await client.query(
      `with recursive known as (
         (select term from ${names.texts} where namespace = $1 and field = $2 and
            ${after === null ? 'term >= $3' : 'term > $3'} order by term limit 1)
         union all
         select (select next.term from ${names.texts} next where namespace = $1 and field = $2
           and next.term > known.term order by next.term limit 1) from known where starts_with(known.term, $4))
       select term from known where starts_with(term, $4) limit ${TERMS_READ}`,
      [row.number, storedTerm(query.field), after ?? first, first],
    );
    steps.take(STEPS_A_TERM * rows.length);
    found.push(...rows.map(({ term }) => termOf(term)).filter((term) => matchesTerm(expansion, term)));
    const expanded = boundedExpansion(expansion, found);
    after = rows.at(-1)?.term ?? null;
    const isEnough = expansion.kind === 'prefix' && found.length >= expansion.termsMax;
    if (rows.length < TERMS_READ || isEnough) return expanded;
  }
}

/** How many records have each term. */
async function holdersOf(
  { client, row, names }: TextSource,
  keys: readonly TermKey[],
): Promise<ReadonlyMap<string, number>> {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<{ field: string; term: string; holders: number }>(
    `select field, term, count(*) as holders from ${names.texts}
     where namespace = $1 and (field, term) in (select * from unnest($2::text[], $3::text[])) group by field, term`,
    [row.number, ...columnsOf(keys)],
  );
  return new Map(
    rows.map(({ field, term, holders }) => [keyOf({ field: termOf(field), term: termOf(term) }), holders]),
  );
}

async function tokensOf({ client, row, names }: TextSource): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ field: string; tokens: number }>(
    `select field, tokens from ${names.textFields} where namespace = $1`,
    [row.number],
  );
  return new Map(rows.map(({ field, tokens }) => [termOf(field), tokens]));
}

/** The records with needed terms, or with any where none is needed, and the occurrences of the query's terms in them. */
async function candidates(
  { client, row, names }: TextSource,
  bound: BoundQuery,
  { needed, steps }: { readonly needed: readonly number[] | null; readonly steps: QuerySteps },
): Promise<ReadonlyMap<string, Occurrences>> {
  const found = new Map<string, Occurrences>();
  if (bound.terms.length === 0 || needed?.length === 0) return found;
  const isNeeded = needed?.flatMap((term) => bound.terms[term] ?? []) ?? bound.terms;
  const { rows } = await client.query<OccurrenceRow>(
    `select given.number, t.id, t.length, t.positions::text as positions
     from unnest($2::text[], $3::text[]) with ordinality as given (field, term, number)
     join ${names.texts} t on t.namespace = $1 and t.field = given.field and t.term = given.term
     where t.id in (select id from ${names.texts} where namespace = $1
       and (field, term) in (select * from unnest($4::text[], $5::text[])))`,
    [row.number, ...columnsOf(bound.terms), ...columnsOf(isNeeded)],
  );
  for (const { number, id, length, positions } of rows) {
    const record = found.get(id) ?? new Occurrences(steps);
    record.add(number - 1, length, positions);
    found.set(id, record);
  }
  return found;
}

interface OccurrenceRow {
  /** Of the term in the query, from 1. */
  readonly number: number;
  readonly id: string;
  readonly length: number;
  /** As `{0,7}`. */
  readonly positions: string;
}

/** What the query's terms occur at in one record. */
class Occurrences implements RecordTerms {
  readonly steps: QuerySteps;
  /** Positions of all terms. */
  read = 0;
  readonly #terms = new Map<number, { readonly length: number; readonly positions: readonly number[] }>();

  constructor(steps: QuerySteps) {
    this.steps = steps;
  }

  add(term: number, length: number, positions: string): void {
    const numbers = positions.slice(1, -1).split(',').map(Number);
    this.#terms.set(term, { length, positions: numbers });
    this.read += numbers.length;
  }

  occurrences(term: number): number {
    return this.positions(term).length;
  }

  length(term: number): number {
    return this.#terms.get(term)?.length ?? 0;
  }

  positions(term: number): readonly number[] {
    return this.#terms.get(term)?.positions ?? [];
  }
}

/** Terms of which each match has at least one, as rare ones as there are; null where records without any may match. */
function neededTerms(node: BoundNode, rarity: (term: number) => number): readonly number[] | null {
  switch (node.kind) {
    case 'all':
      return null;
    case 'none':
      return [];
    case 'term':
      return [node.term];
    case 'phrase':
      return node.terms.slice(0, 1).map(({ term }) => term);
    case 'anyOf':
      return (node.phrase.length > 0 ? node.phrase.slice(0, 1) : node.lasts).map(({ term }) => term);
    case 'boost':
      return neededTerms(node.node, rarity);
    case 'bool': {
      if (node.must.length === 0) {
        const parts = node.should.map((part) => neededTerms(part, rarity));
        return parts.every((part) => part !== null) ? [...new Set(parts.flat())] : null;
      }
      const total = (terms: readonly number[]) => terms.reduce((sum, term) => sum + rarity(term), 0);
      const parts = node.must.flatMap((part) => {
        const needed = neededTerms(part, rarity);
        return needed === null ? [] : [needed];
      });
      return parts.toSorted((one, other) => total(one) - total(other))[0] ?? null;
    }
  }
}

function columnsOf(keys: readonly TermKey[]): readonly [fields: readonly string[], terms: readonly string[]] {
  return [keys.map(({ field }) => storedTerm(field)), keys.map(({ term }) => storedTerm(term))];
}

function keyOf({ field, term }: TermKey): string {
  return JSON.stringify([field, term]);
}
