// One of our points against others, all engines loaded, in slices by turns: what the table says of the speed of one thread.
import type { DataSet } from '../data/data-sets.ts';
import { K } from '../data/truth.ts';
import type { Cells } from '../support/cells.ts';
import { readIntoPageCache } from '../support/page-cache.ts';
import type { Spread } from '../support/spread.ts';
import type { Contest, Standing } from '../support/standing.ts';
import { Turns, takeTurns } from '../support/turns.ts';
import { settingText } from './engine.ts';
import type { HostedEngine } from './hosted-engine.ts';
import { fitTogether, type Point } from './sweep.ts';

/** What one setting did in one slice. */
interface Slice {
  readonly qps: number;
  readonly cpuQps: number;
}

export interface EngineStanding extends Standing<Point> {
  readonly cpuQps: Spread;
}

export type EngineContest = Contest<Point, EngineStanding>;

export interface ContestPlan {
  readonly hosts: readonly HostedEngine[];
  readonly data: DataSet;
  readonly cells: Cells;
  readonly rounds: number;
  readonly sliceSeconds: number;
}

export async function contest(
  ours: Point,
  others: readonly Point[],
  { hosts, data, cells, rounds, sliceSeconds }: ContestPlan,
): Promise<EngineContest> {
  const hostOf = ({ variant }: Point) => hosts.find((host) => host.variant === variant);
  const keyOf = (point: Point) =>
    `${hostOf(point)?.name}; ${settingText(point.search)}; ${point.passing ?? 'all'}`;
  const measure = async (point: Point, round: number): Promise<Slice> => {
    const host = hostOf(point);
    if (host === undefined) throw new Error(`nothing hosts ${keyOf(point)}`);
    if (round < 0) readIntoPageCache(host.folder);
    const { search, passing } = point;
    const run = { k: K, search, passing, secondsMin: sliceSeconds, secondsMax: sliceSeconds };
    const { qps, cpuQps } = await host.run({ ...run, first: firstQuery(round, data.queries) });
    return { qps, cpuQps };
  };
  const name = `${data.name} ${data.records}`;
  const isOneGroup = fitTogether(hosts, data) || others.length < 2;
  const groups = isOneGroup ? [[ours, ...others]] : others.map((other) => [ours, other]);
  const all: Turns<Slice>[] = [];
  for (const group of groups) {
    all.push(await takeTurns(group, { name, cells, rounds, keyOf, measure }));
    if (!isOneGroup) for (const host of hosts) await host.close();
  }
  const turns = Turns.joined(all);
  const standing = (point: Point): EngineStanding => ({
    point,
    qps: turns.spread(keyOf(point), ({ qps }) => qps),
    cpuQps: turns.spread(keyOf(point), ({ cpuQps }) => cpuQps),
    ratio: turns.ratio(keyOf(ours), keyOf(point), ({ qps }) => qps),
    cpuRatio: turns.ratio(keyOf(ours), keyOf(point), ({ cpuQps }) => cpuQps),
  });
  return { ours: standing(ours), others: others.map(standing) };
}

/** Every round begins elsewhere among the queries, so that slow engines are asked all of them as well. */
export function firstQuery(round: number, queries: number): number {
  const golden = 0.618;
  return Math.floor((Math.max(0, round) * golden * queries) % queries);
}
