// Our point of least effort that finds enough, by turns against the peers' points that may be the best, for each recall aimed
// at: once against peers that hold about as much memory, once against those that hold more.
import { type ContestPlan, contest, type EngineContest, type EngineStanding } from '../engines/contest.ts';
import { settingText } from '../engines/engine.ts';
import { OURS } from '../engines/index.ts';
import type { Built, Point } from '../engines/sweep.ts';
import type { Target } from '../plan.ts';
import { contenders, leastEffort } from '../support/contenders.ts';
import { timesText } from '../support/spread.ts';
import { markdownTable, NONE, rounded } from './row.ts';

/** Peers that hold more than so many times our memory are in a contest of their own. */
const MEMORY_TIMES = 1.25;

/** By what peers hold: at most 1.25 times as much as ours, or more. */
export type MemoryClass = 'lean' | 'rich';

export interface SearchContest {
  readonly memory: MemoryClass;
  readonly recall: number;
  /** How many times the best peer's speed is aimed at. */
  readonly times: number;
  /** Null where we do not find enough at any setting. */
  readonly contest: EngineContest | null;
  /** Peers' points that find enough. */
  readonly peers: readonly Point[];
}

export async function searchContests(
  { points, built }: { readonly points: readonly Point[]; readonly built: readonly Built[] },
  { targets, ...plan }: ContestPlan & { readonly targets: readonly Target[] },
): Promise<readonly SearchContest[]> {
  const contests: SearchContest[] = [];
  for (const memory of ['lean', 'rich'] as const) {
    const others = points.filter((point) => !isOurs(point) && memoryClass(point, built) === memory);
    if (memory === 'rich' && others.length === 0) continue;
    for (const { recall, times } of targets) {
      const ours = leastEffort(points.filter(isOurs), recall);
      const peers = contenders(others, { recall, kindOf: ({ variant }) => variant, speedOf });
      contests.push({
        memory,
        recall,
        times: memory === 'lean' ? times : 1,
        peers,
        contest: ours === null ? null : await contest(ours, peers, plan),
      });
    }
  }
  return contests;
}

function memoryClass({ variant }: Point, built: readonly Built[]): MemoryClass {
  const heldBy = (isMeant: (one: Built) => boolean) => built.find(isMeant)?.opened.memory.held ?? 0;
  const ours = heldBy(isOurs);
  return ours > 0 && heldBy((one) => one.variant === variant) > MEMORY_TIMES * ours ? 'rich' : 'lean';
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
