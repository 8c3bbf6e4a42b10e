// What the console's table asks of a server, kind by kind, each answer timed.
import { Agent } from 'node:http';
import { percentile } from '../support/figures.ts';
import { processorSeconds } from '../support/process-load.ts';
import { ask, type Service } from '../support/service.ts';
import { GROUPS, idOf } from './many-records.ts';

const PAGE = 100;
/** The most in a page: the quickest way to a position deep in the table. */
const LEAP = 1_000;
const FACET_VALUES = 8;
const NEIGHBORS = 8;
type Json = Readonly<Record<string, unknown>>;
interface Page {
  readonly records: readonly Json[];
  readonly pagination?: { readonly next: string };
}

export interface Kind {
  readonly name: string;
  /** Asks for the answer with this number; no two in a row are equal. */
  readonly ask: (turn: number) => Promise<unknown>;
}

export interface Times {
  readonly name: string;
  readonly p50: number;
  readonly p95: number;
  readonly most: number;
  /** Processor time of the server for each answer, in milliseconds. */
  readonly processor: number;
}

export async function timesOf({ pid }: Service, { name, ask: next }: Kind, turns: number): Promise<Times> {
  const times: number[] = [];
  const before = processorSeconds(pid);
  for (let turn = 0; turn < turns; turn++) {
    const started = performance.now();
    await next(turn);
    times.push(performance.now() - started);
  }
  return {
    name,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    most: Math.max(...times),
    processor: ((processorSeconds(pid) - before) * 1_000) / turns,
  };
}

/** @param records how many the index has */
export async function kindsOf({ base }: Service, index: string, records: number): Promise<readonly Kind[]> {
  const agent = new Agent({ keepAlive: true });
  const call = (name: string, body: Json) =>
    ask(agent, `${base}/data/${index}/records/namespaces/__default__/${name}`, body);
  const page = async (body: Json) => (await call('browse', { limit: PAGE, ...body })) as unknown as Page;
  /** The console counts each field by a request of its own. */
  const count = (field: string, body: Json = {}) =>
    call('browse', { ...body, limit: 1, facets: [{ field, limit: FACET_VALUES }] });
  const walks = new Map<string, Promise<string | undefined>>();
  /** Goes on from page to page, from a position that `leaps` large pages lead to. */
  const walk = async (name: string, body: Json, leaps: number) => {
    const token = await (walks.get(name) ?? leap(page, body, leaps));
    const answer = await page({ ...body, ...(token !== undefined && { pagination_token: token }) });
    walks.set(name, Promise.resolve(answer.pagination?.next));
    return answer;
  };
  const number = (turn: number) => (turn * 7_919 * 31) % records;
  const shares = [0.0001, 0.001, 0.01, 0.04, 0.1, 0.5];
  const filters = shares.map((share) => (turn: number) => below(share * GROUPS, turn));
  const half = { group: { $lt: GROUPS / 2 } };
  return [
    { name: 'open: the first page', ask: () => page({}) },
    { name: 'scroll: the next page, from the start', ask: () => walk('start', {}, 0) },
    { name: 'scroll: the next page, behind 900,000', ask: () => walk('deep', {}, records / LEAP / 1.11) },
    { name: 'ids by their beginning', ask: (turn) => page({ prefix: idOf(number(turn)).slice(0, -3) }) },
    ...filters.map((filter, at) => ({
      name: `filter, ${(shares[at] ?? 0) * 100} % match: the first page`,
      ask: (turn: number) => page({ filter: filter(turn) }),
    })),
    {
      name: 'filter, 1 % match: the next page',
      ask: () => walk('1 %', { filter: below(GROUPS / 100, 0) }, 2),
    },
    { name: 'filter by a text', ask: (turn) => page({ filter: { category: `category ${turn % 12}` } }) },
    ...orders('price', page, walk),
    ...orders('year', page, walk),
    {
      name: 'filter, half match, and sort by year',
      ask: () => page({ filter: half, order_by: { field: 'year' } }),
    },
    { name: 'value counts: 12 texts', ask: () => count('category') },
    { name: 'value counts: lists of 7 texts', ask: () => count('colors') },
    { name: 'value counts: 10,000 numbers', ask: () => count('group') },
    { name: 'value counts: numbers, nearly all different', ask: () => count('price') },
    { name: 'value counts: texts, all different', ask: () => count('title') },
    {
      name: 'value counts: 12 texts, half match',
      ask: (turn) => count('category', { filter: below(GROUPS / 2, turn) }),
    },
    {
      name: 'value counts: lists of 7 texts, 1 % match',
      ask: (turn) => count('colors', { filter: below(GROUPS / 100, turn) }),
    },
    {
      name: 'a record and its neighbors',
      ask: (turn) => call('neighbors', { id: idOf(number(turn)), limit: NEIGHBORS }),
    },
  ];
}

type ReadPage = (body: Json) => Promise<Page>;
type Walk = (name: string, body: Json, leaps: number) => Promise<Page>;

function orders(field: string, page: ReadPage, walk: Walk): readonly Kind[] {
  return [
    { name: `sort by ${field}: the first page`, ask: (turn) => page({ order_by: order(field, turn) }) },
    {
      name: `sort by ${field}: the next page, behind 20,000`,
      ask: () => walk(field, { order_by: order(field, 1) }, 20),
    },
  ];
}

function order(field: string, turn: number): Json {
  return { field, direction: turn % 2 === 0 ? 'asc' : 'desc' };
}

/** About so many of the groups; another filter each turn, so that no earlier matches help. */
function below(groups: number, turn: number): Json {
  const first = groups >= GROUPS / 2 ? turn : (turn * 97) % (GROUPS - Math.ceil(groups));
  return { group: { $gte: first, $lt: first + Math.max(1, groups) } };
}

async function leap(page: ReadPage, body: Json, leaps: number): Promise<string | undefined> {
  let token: string | undefined;
  for (let done = 0; done < Math.floor(leaps); done++) {
    const more = token === undefined ? {} : { pagination_token: token };
    token = (await page({ ...body, ...more, limit: LEAP })).pagination?.next;
  }
  return token;
}
