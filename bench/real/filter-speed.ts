// How fast searches with filters are beside those without, and what they find: shares of the records at random and by
// nearness, filters in rotation, ranges never asked before, conjunctions and long lists (npm run bench:filters).
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Filter } from '../../src/domain/filter/grammar.ts';
import { parseOptionalFilter } from '../../src/domain/filter/parse-filter.ts';
import { type InProcessIndex, openInProcess } from '../../src/engine/embedded/in-process-index.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { profile, settled } from '../peers/engines/pinyon.ts';
import { BARE_QUERY } from '../support/bare-query.ts';
import { machine, percentile } from '../support/figures.ts';
import { dotOf } from './dot.ts';
import { attributesOf } from './filters.ts';
import type { RealSet } from './row-set.ts';
import { fillIndex, openSet, SET_NAMES } from './sets.ts';

const TOP_K = 10;
/** Searches of a kind whose answers are compared with the truth. */
const JUDGED_MAX = 300;
const ROUNDING = 2e-6;
const SEED = 11;
const COLORS = 5;
const POOR = 0.8;

const { values } = parseArgs({
  options: {
    sets: { type: 'string', default: 'packages,glove' },
    records: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Compares searches with filters with those without, in one thread, by processor time.

  --sets=a,b     of ${SET_NAMES.join(', ')}
  --records=N    at most, of each set
  --queries=N    of each set, of all its kinds in equal parts
  --rounds=N     in each of which every kind of filter and no filter take turns
`);
  process.exit(0);
}

/** What filters ask for. */
interface Fields {
  readonly slice: number;
  readonly nearness: number;
  readonly number: number;
  readonly color: number;
}

interface Asked {
  /** As callers write it. */
  readonly json: object | null;
  readonly matches: (fields: Fields) => boolean;
}

interface FilterKind {
  readonly name: string;
  /** The filter of a search, by its number. */
  readonly at: (search: number) => Asked;
}

const below = (field: 'slice' | 'nearness', bound: number): Asked => ({
  json: { [field]: { $lt: bound } },
  matches: (fields) => fields[field] < bound,
});

/** A range of slices; a whole number would be one of a thousand, and soon known. */
const range = (from: number, width: number): Asked => ({
  json: { slice: { $gte: from, $lt: from + width } },
  matches: ({ slice }) => slice >= from && slice < from + width,
});

function kindsOf(records: number): readonly FilterKind[] {
  const random = new Random(SEED);
  const always = (asked: Asked) => () => asked;
  const rotating = (count: number, width: number) => {
    const filters = Array.from({ length: count }, (_, at) => range(((1_000 - width) * at) / count, width));
    return (search: number) => filters[search % count] ?? NONE;
  };
  const list = (count: number): Asked => {
    const numbers = new Set(Array.from({ length: count }, () => random.integer(records)));
    return { json: { number: { $in: [...numbers] } }, matches: ({ number }) => numbers.has(number) };
  };
  const lists = Array.from({ length: 20 }, () => list(5_000));
  const conjunction = (slices: number): Asked => ({
    json: { $and: [{ slice: { $lt: slices } }, { nearness: { $gte: 100 } }, { color: { $ne: 0 } }] },
    matches: ({ slice, nearness, color }) => slice < slices && nearness >= 100 && color !== 0,
  });
  return [
    { name: 'none', at: always(NONE) },
    ...[900, 500, 100, 10, 1].map((bound) => ({
      name: `${bound / 10} % at random`,
      at: always(below('slice', bound)),
    })),
    ...[500, 100, 10].map((bound) => ({
      name: `the nearest ${bound / 10} %`,
      at: always(below('nearness', bound)),
    })),
    {
      name: 'the farthest 50 %',
      at: always({ json: { nearness: { $gte: 500 } }, matches: ({ nearness }) => nearness >= 500 }),
    },
    ...[500, 100, 10].flatMap((width) => [
      { name: `${width / 10} %, 9 ranges in rotation`, at: rotating(9, width) },
      { name: `${width / 10} %, 100 ranges in rotation`, at: rotating(100, width) },
      {
        name: `${width / 10} %, a new range each time`,
        at: () => range(random.uniform() * (1_000 - width), width),
      },
    ]),
    { name: 'three conditions, 36 %', at: always(conjunction(500)) },
    { name: 'three conditions, 0.7 %', at: always(conjunction(10)) },
    { name: '$in of 5,000, 20 lists in rotation', at: (search) => lists[search % lists.length] ?? NONE },
    { name: '$in of 5,000, a new list each time', at: () => list(5_000) },
  ];
}

const NONE: Asked = { json: null, matches: () => true };

function fieldsOf(set: RealSet): readonly Fields[] {
  return attributesOf(set).map((attributes, number) => ({ ...attributes, number, color: number % COLORS }));
}

/** One of each kind after the other. */
function queriesOf({ kinds }: RealSet, count: number): readonly Float32Array[] {
  const lists = [...kinds.values()];
  const rows = Array.from(
    { length: count },
    (_, at) => lists[at % lists.length]?.[Math.floor(at / lists.length)],
  );
  return rows.filter((row) => row !== undefined);
}

interface Search {
  readonly values: Float32Array;
  readonly filter: Filter | null;
  readonly asked: Asked;
}

function searchesOf(kind: FilterKind, queries: readonly Float32Array[], first: number): readonly Search[] {
  return queries.map((query, at) => {
    const asked = kind.at(first + at);
    return { values: query, asked, filter: parseOptionalFilter(asked.json) };
  });
}

/** Queries a processor second. */
async function speed({ reader }: InProcessIndex, searches: readonly Search[]): Promise<number> {
  const began = process.cpuUsage();
  for (const { values, filter } of searches)
    await reader.query({ ...BARE_QUERY, values, filter, topK: TOP_K });
  const { user, system } = process.cpuUsage(began);
  return searches.length / ((user + system) / 1e6);
}

class Truth {
  readonly #set: RealSet;
  readonly #fields: readonly Fields[];
  readonly #norms: Float64Array;

  constructor(set: RealSet, fields: readonly Fields[]) {
    this.#set = set;
    this.#fields = fields;
    this.#norms = Float64Array.from(set.base, (row) => Math.sqrt(dotOf(row, row)) || 1);
  }

  /** Share of the true best that an answer has; null where nothing matches. */
  recall({ values, asked }: Search, ids: readonly string[]): number | null {
    const scores: number[] = [];
    for (const [at, fields] of this.#fields.entries())
      if (asked.matches(fields)) scores.push(this.#score(values, at));
    if (scores.length === 0) return ids.length === 0 ? null : 0;
    const wanted = Math.min(TOP_K, scores.length);
    const least = scores.sort((a, b) => b - a)[wanted - 1] ?? 0;
    const enough = least - ROUNDING * Math.max(1, Math.abs(least));
    const found = ids.filter((id) => {
      const fields = this.#fields[Number(id)];
      return fields !== undefined && asked.matches(fields) && this.#score(values, Number(id)) >= enough;
    });
    return found.length / wanted;
  }

  #score(query: Float32Array, at: number): number {
    return dotOf(query, this.#set.base[at] ?? query) / (this.#norms[at] ?? 1);
  }
}

async function judged(
  { reader }: InProcessIndex,
  truth: Truth,
  searches: readonly Search[],
): Promise<string> {
  const recalls: number[] = [];
  for (const search of searches.slice(0, JUDGED_MAX)) {
    const { values, filter } = search;
    const matches = await reader.query({ ...BARE_QUERY, values, filter, topK: TOP_K });
    const recall = truth.recall(
      search,
      matches.map(({ id }) => id),
    );
    if (recall !== null) recalls.push(recall);
  }
  const mean = recalls.reduce((sum, one) => sum + one, 0) / recalls.length;
  const poor = recalls.filter((one) => one < POOR).length;
  return `${mean.toFixed(4)} | ${((100 * poor) / recalls.length).toFixed(1)} %`;
}

async function measureSet(set: RealSet): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-filters-'));
  const { metric, dimension } = set;
  const index = openInProcess(profile({ vectorType: 'dense', metric, dimension }), join(folder, 'index'));
  try {
    const fields = fieldsOf(set);
    await fillIndex(index, set, (position) => fields[position] ?? null);
    const queries = queriesOf(set, Number(values.queries));
    const [anyQuery] = queries;
    await settled(index, () => index.reader.query({ ...BARE_QUERY, values: anyQuery ?? null, topK: 1 }));
    const kinds = kindsOf(set.base.length);
    const ratios = new Map(kinds.map(({ name }) => [name, [] as number[]]));
    for (let round = -1; round < Number(values.rounds); round++) {
      for (const kind of kinds) {
        const unfiltered = await speed(index, searchesOf({ name: '', at: () => NONE }, queries, 0));
        const filtered = await speed(index, searchesOf(kind, queries, (round + 1) * queries.length));
        if (round >= 0) ratios.get(kind.name)?.push(filtered / unfiltered);
      }
    }
    process.stdout.write(
      `\n${set.name}, ${set.base.length} x ${dimension}, ${queries.length} queries of ${[...set.kinds.keys()].join(', ')}\n\n` +
        '| filter | times the speed without (quartiles) | recall@10 | below 0.8 |\n|---|---|---|---|\n',
    );
    const truth = new Truth(set, fields);
    for (const kind of kinds) {
      const all = ratios.get(kind.name) ?? [];
      const [low, median, high] = [0.25, 0.5, 0.75].map((share) => percentile(all, share).toFixed(2));
      const found = await judged(index, truth, searchesOf(kind, queries, 0));
      process.stdout.write(`| ${kind.name} | ${median} (${low} to ${high}) | ${found} |\n`);
    }
  } finally {
    await index.close();
    rmSync(folder, { recursive: true });
  }
}

process.stdout.write(`${machine()}\n`);
for (const name of values.sets.split(',')) {
  await measureSet(await openSet(name, { records: Number(values.records), queries: Number(values.queries) }));
}
