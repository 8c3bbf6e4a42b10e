// Rounds of queries that all engines answer by turns, and how far their answers agree.
import { progress } from '../peers/support/progress.ts';
import { type Spread, spreadOf, timesText } from '../peers/support/spread.ts';
import { inOrder } from '../peers/support/turns.ts';
import type { Contender } from './contender.ts';
import type { Asked } from './engines/contestant.ts';
import type { ContestQuery } from './queries.ts';

export interface Kind {
  readonly kind: string;
  readonly queries: readonly ContestQuery[];
}

export interface Row {
  readonly what: string;
  /** Microseconds a query, by engine. */
  readonly times: ReadonlyMap<string, Spread>;
  /** Time of each peer divided by the first engine's, round by round. */
  readonly ratios: ReadonlyMap<string, Spread>;
  /** Of the least time of each query over all rounds, by engine: what a busy machine disturbs least. */
  readonly least: ReadonlyMap<string, { readonly mean: number; readonly median: number }>;
}

/** Just-in-time compilers need some rounds before they are at their best. */
const WARM_UP_ROUNDS = 4;
/** How many results are asked for, and whether all matches are counted. */
export const ASKED = {
  'top 10': { k: 10, count: false },
  'top 100': { k: 100, count: false },
  'top 100 with count': { k: 100, count: true },
} as const satisfies Readonly<Record<string, Asked>>;

export type AskedName = keyof typeof ASKED;

const COMPARED = 50;

/** All kinds, as each of `asked`. */
export async function race(
  contenders: readonly Contender[],
  {
    kinds,
    asked,
    rounds,
  }: { readonly kinds: readonly Kind[]; readonly asked: readonly AskedName[]; readonly rounds: number },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { kind, queries } of kinds) {
    for (const name of asked) {
      const measured = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
      const least = new Map<string, readonly number[]>();
      for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
        for (const contender of inOrder(contenders, round + WARM_UP_ROUNDS)) {
          const times = await contender.run(queries, ASKED[name]);
          if (round < 0) continue;
          measured.get(contender.name)?.push(mean(times));
          const before = least.get(contender.name) ?? times;
          least.set(
            contender.name,
            times.map((time, query) => Math.min(time, before[query] ?? time)),
          );
        }
      }
      rows.push(rowOf(`${kind}, ${name}`, measured, least));
      progress(rowText(rows.at(-1) as Row));
    }
  }
  return rows;
}

function rowOf(
  what: string,
  measured: ReadonlyMap<string, readonly number[]>,
  leastOfQueries: ReadonlyMap<string, readonly number[]>,
): Row {
  const [[first, ours] = ['', []], ...peers] = measured;
  const times = new Map([...measured].map(([name, values]) => [name, spreadOf(values)]));
  const ratios = peers.map(([name, theirs]): [string, Spread] => [
    name,
    spreadOf(theirs.map((time, round) => time / (ours[round] ?? Number.NaN))),
  ]);
  return {
    what,
    times: times.size === 0 ? new Map([[first, spreadOf([])]]) : times,
    ratios: new Map(ratios),
    least: new Map(
      Array.from(measured.keys(), (name) => {
        const each = leastOfQueries.get(name) ?? [];
        return [name, { mean: mean(each), median: spreadOf(each).median }];
      }),
    ),
  };
}

export function rowsText(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const names = [...first.times.keys()];
  const head = [
    'queries',
    ...names.map((name) => `${name}, µs`),
    ...[...first.ratios.keys()].map((name) => `ahead of ${name}`),
    ...names.map((name) => `${name}, least of each query, mean (median) µs`),
    ...names.slice(1).map((name) => `ahead of ${name} by these`),
  ];
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows.map(rowText)].join('\n');
}

function rowText({ what, times, ratios, least }: Row): string {
  const [ours, ...peers] = least.values();
  const cells = [
    what,
    ...[...times.values()].map(({ median }) => median.toFixed(0)),
    ...[...ratios.values()].map(timesText),
    ...[...least.values()].map((each) => `${each.mean.toFixed(0)} (${each.median.toFixed(0)})`),
    ...peers.map((each) => (each.mean / (ours?.mean ?? Number.NaN)).toFixed(2)),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** How many of each peer's top ten the first engine has, too: ties and rounded lengths make them differ. */
export async function agreement(contenders: readonly Contender[], kinds: readonly Kind[]): Promise<string> {
  const [first, ...peers] = contenders;
  if (first === undefined || peers.length === 0) return '';
  const lines: string[] = [];
  for (const { kind, queries } of kinds) {
    const asked = queries.slice(0, COMPARED);
    const ours = await first.hits(asked, 10);
    for (const peer of peers) {
      const theirs = await peer.hits(asked, 10);
      const shared = theirs.map((hits, at) => hits.filter((hit) => ours[at]?.includes(hit)).length);
      const all = theirs.reduce((sum, hits) => sum + hits.length, 0);
      const share = (100 * shared.reduce((sum, count) => sum + count, 0)) / all;
      lines.push(`${kind}: ${share.toFixed(1)} % of the top ten of ${peer.name} are ours, too`);
    }
  }
  return lines.join('\n');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
