// Every engine at every setting, a setting of each engine in turn: what each setting finds, and roughly how fast it is.
import { totalmem } from 'node:os';
import { percentile } from '../../support/figures.ts';
import type { DataSet } from '../data/data-sets.ts';
import { K, type Truth } from '../data/truth.ts';
import type { Cells } from '../support/cells.ts';
import { readIntoPageCache } from '../support/page-cache.ts';
import { type Setting, settingText } from './engine.ts';
import type { BuildCost, Opened } from './host-protocol.ts';
import type { HostedEngine, Variant } from './hosted-engine.ts';

export interface Point {
  /** The engine's. */
  readonly name: string;
  readonly variant: Variant;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  /** Medians over the rounds. */
  readonly qps: number;
  readonly cpuQps: number;
}

export interface Built {
  readonly variant: Variant;
  readonly cost: BuildCost;
  readonly opened: Opened;
}

export interface SweepPlan {
  readonly data: DataSet;
  readonly truth: Truth;
  readonly cells: Cells;
  readonly rounds: number;
  readonly secondsMin: number;
  readonly secondsMax: number;
  /** Searches without a filter and with filters that let so many slices pass. */
  readonly passing: readonly (number | null)[];
  readonly searchesOf: (variant: Variant) => readonly Setting[];
}

export interface Swept {
  readonly points: readonly Point[];
  /** Engines that failed on the way, with the reason; their points are those measured before. */
  readonly failed: readonly string[];
}

/** What one setting did in one round. */
interface Round {
  readonly qps: number;
  readonly cpuQps: number;
  readonly recall: number;
}

/** One setting of one engine. */
interface Spot {
  readonly host: HostedEngine;
  readonly search: Setting;
  readonly passing: number | null;
}

export async function sweep(hosts: readonly HostedEngine[], plan: SweepPlan): Promise<Swept> {
  const spotsOf = hosts.map((host) =>
    plan
      .searchesOf(host.variant)
      .flatMap((search) => plan.passing.map((passing): Spot => ({ host, search, passing }))),
  );
  const keepOpen = fitTogether(hosts, plan.data);
  const order = keepOpen ? inTurn(spotsOf) : spotsOf.flat();
  if (keepOpen) for (const { folder } of hosts) readIntoPageCache(folder);
  const failed = new Map<HostedEngine, string>();
  let last: HostedEngine | null = null;
  for (let round = 0; round < plan.rounds; round++) {
    for (const spot of order) {
      const { host } = spot;
      const key = keyOf(spot, plan, round);
      if (failed.has(host) || plan.cells.has(key)) continue;
      try {
        if (!keepOpen && last !== host) await last?.close();
        last = host;
        plan.cells.put(key, await measure(spot, plan));
      } catch (error) {
        failed.set(host, `${host.name}: ${error instanceof Error ? error.message : error}`);
        await host.close().catch(() => {});
      }
    }
  }
  const points = spotsOf.flat().flatMap((spot) => pointOf(spot, plan) ?? []);
  return { points, failed: [...failed.values()] };
}

/** The first of each list, then the second of each, and so on. */
function inTurn<One>(lists: readonly (readonly One[])[]): readonly One[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

/** May all engines stay open between rounds? Each holds about the vectors and half as much again. */
export function fitTogether(hosts: readonly unknown[], { records, dimension }: DataSet): boolean {
  return hosts.length * records * dimension * 4 * 1.5 < totalmem() / 2;
}

function keyOf({ host, search, passing }: Spot, { data }: SweepPlan, round: number): string {
  return `search ${data.name} ${data.records} ${host.name}; ${settingText(search)}; ${passing ?? 'all'}; ${round}`;
}

async function measure({ host, search, passing }: Spot, plan: SweepPlan): Promise<Round> {
  const { truth, secondsMin, secondsMax } = plan;
  const run = { k: K, search, passing, first: 0, secondsMin, secondsMax };
  const { answers, ...rates } = await host.run(run);
  const recalls = answers.map((ids, query) => truth.recall(query, ids, passing ?? undefined));
  return { ...rates, recall: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length };
}

function pointOf(spot: Spot, plan: SweepPlan): Point | null {
  const rounds = Array.from({ length: plan.rounds }, (_, round) =>
    plan.cells.get<Round>(keyOf(spot, plan, round)),
  ).filter((round) => round !== undefined);
  const [first] = rounds;
  if (first === undefined) return null;
  const median = (of: (round: Round) => number) => percentile(rounds.map(of), 0.5);
  return {
    name: spot.host.variant.engine.name,
    variant: spot.host.variant,
    search: spot.search,
    passing: spot.passing,
    recall: first.recall,
    qps: median(({ qps }) => qps),
    cpuQps: median(({ cpuQps }) => cpuQps),
  };
}
