// One of our points over the network against others, all servers up and loaded, under load by turns.
import type { DataSet } from '../data/data-sets.ts';
import { firstQuery } from '../engines/contest.ts';
import { settingText } from '../engines/engine.ts';
import type { Fleet } from '../servers/fleet.ts';
import { serverNamed } from '../servers/index.ts';
import type { Cells } from '../support/cells.ts';
import type { Spread } from '../support/spread.ts';
import type { Contest, Standing } from '../support/standing.ts';
import { takeTurns } from '../support/turns.ts';
import { loadOn, type ServedPoint, type ServedSlice } from './served-points.ts';

export interface ServedStanding extends Standing<ServedPoint> {
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** This one's p99 to ours, of the same rounds: as with speed, the larger the better for us. */
  readonly p99Ratio: Spread;
}

export type ServedContest = Contest<ServedPoint, ServedStanding>;

export interface ServedContestPlan {
  readonly fleet: Fleet;
  readonly data: DataSet;
  readonly cells: Cells;
  readonly lanes: number;
  readonly rounds: number;
  readonly sliceSeconds: number;
}

export async function servedContest(
  ours: ServedPoint,
  others: readonly ServedPoint[],
  { fleet, data, cells, lanes, rounds, sliceSeconds }: ServedContestPlan,
): Promise<ServedContest> {
  const keyOf = ({ name, search, passing }: ServedPoint) =>
    `${name}; ${settingText(search)}; ${passing ?? 'all'}`;
  const measure = async (point: ServedPoint, round: number): Promise<ServedSlice> => {
    const { server } = await fleet.get(serverNamed(point.name));
    const first = firstQuery(round, data.queries);
    const load = { data, lanes, seconds: sliceSeconds, first };
    const { qps, p50Ms, p99Ms } = await loadOn(server, point, load);
    return { qps, p50Ms, p99Ms };
  };
  const name = `served ${data.name} ${data.records} ${lanes}`;
  const turns = await takeTurns([ours, ...others], { name, cells, rounds, keyOf, measure });
  const standing = (point: ServedPoint): ServedStanding => ({
    point,
    qps: turns.spread(keyOf(point), ({ qps }) => qps),
    p50Ms: turns.spread(keyOf(point), ({ p50Ms }) => p50Ms),
    p99Ms: turns.spread(keyOf(point), ({ p99Ms }) => p99Ms),
    ratio: turns.ratio(keyOf(ours), keyOf(point), ({ qps }) => qps),
    cpuRatio: null,
    p99Ratio: turns.ratio(keyOf(point), keyOf(ours), ({ p99Ms }) => p99Ms),
  });
  return { ours: standing(ours), others: others.map(standing) };
}
