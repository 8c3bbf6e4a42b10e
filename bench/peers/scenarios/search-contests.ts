// Our point of least effort that finds enough, by turns against the peers' points that may be the best, for each recall aimed at.
import { type ContestPlan, contest, type EngineContest, type EngineStanding } from '../engines/contest.ts';
import { settingText } from '../engines/engine.ts';
import { OURS } from '../engines/index.ts';
import type { Point } from '../engines/sweep.ts';
import { contenders, leastEffort } from '../support/contenders.ts';
import { timesText } from '../support/spread.ts';
import { markdownTable, NONE, rounded } from './row.ts';

export const TARGETS = [
  { recall: 0.985, times: 2 },
  { recall: 0.995, times: 3 },
] as const;

export interface SearchContest {
  readonly recall: number;
  /** How many times the best peer's speed is aimed at. */
  readonly times: number;
  /** Null where we do not find enough at any setting. */
  readonly contest: EngineContest | null;
  /** Peers' points that find enough. */
  readonly peers: readonly Point[];
}

export async function searchContests(
  points: readonly Point[],
  plan: ContestPlan,
): Promise<readonly SearchContest[]> {
  const contests: SearchContest[] = [];
  for (const { recall, times } of TARGETS) {
    const ours = leastEffort(points.filter(isOurs), recall);
    const others = points.filter((point) => !isOurs(point));
    const peers = contenders(others, { recall, kindOf: ({ variant }) => variant, speedOf });
    contests.push({
      recall,
      times,
      peers,
      contest: ours === null ? null : await contest(ours, peers, plan),
    });
  }
  return contests;
}

/** By which the sweep ranks. */
export function speedOf({ cpuQps }: Point): number {
  return cpuQps;
}

export function isOurs({ variant }: Pick<Point, 'variant'>): boolean {
  return variant.engine.name === OURS;
}

export function contestTable({ ours, others }: EngineContest): string {
  const line = ({ point, qps, cpuQps, ratio, cpuRatio }: EngineStanding) => [
    point.variant.engine.name,
    settingText(point.variant.build) || 'default',
    settingText(point.search) || 'default',
    point.recall.toFixed(4),
    rounded(qps.median),
    rounded(cpuQps.median),
    point === ours.point ? NONE : timesText(ratio),
    point === ours.point || cpuRatio === null ? NONE : timesText(cpuRatio),
  ];
  return markdownTable(
    [
      'engine',
      'build',
      'search',
      'recall@10',
      'QPS',
      'QPS of processor time',
      'ours to this',
      'of processor time',
    ],
    [ours, ...others].map(line),
  );
}
