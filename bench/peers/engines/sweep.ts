// Every engine at every setting, in rounds one after the other, so that noise of the machine hits all alike.
import { totalmem } from 'node:os';
import { percentile } from '../../support/figures.ts';
import type { DataSet } from '../data/data-sets.ts';
import { K, type Truth } from '../data/truth.ts';
import type { Setting } from './engine.ts';
import type { BuildCost, Opened } from './host-protocol.ts';
import type { HostedEngine, Variant } from './hosted-engine.ts';

export interface Point {
  readonly variant: Variant;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  /** Median over the rounds. */
  readonly qps: number;
}

export interface Built {
  readonly variant: Variant;
  readonly cost: BuildCost;
  readonly opened: Opened;
}

export interface SweepPlan {
  readonly data: DataSet;
  readonly truth: Truth;
  readonly rounds: number;
  readonly secondsMax: number;
  /** Searches without a filter and with filters that let so many slices pass. */
  readonly passing: readonly (number | null)[];
  readonly searchesOf: (variant: Variant) => readonly Setting[];
}

export async function sweep(hosts: readonly HostedEngine[], plan: SweepPlan): Promise<readonly Point[]> {
  const cells = hosts.flatMap((host) =>
    plan
      .searchesOf(host.variant)
      .flatMap((search) => plan.passing.map((passing) => new Cell(host, search, passing))),
  );
  const keepOpen = fitTogether(hosts, plan.data);
  for (let round = 0; round < plan.rounds; round++) {
    for (const host of hosts) {
      if (!keepOpen) await host.open();
      for (const cell of cells.filter((one) => one.host === host)) await cell.measure(plan);
      if (!keepOpen) await host.close();
    }
  }
  return cells.map((cell) => cell.point());
}

/** May all engines stay open between rounds? Each holds about the vectors and half as much again. */
export function fitTogether(hosts: readonly unknown[], { records, dimension }: DataSet): boolean {
  return hosts.length * records * dimension * 4 * 1.5 < totalmem() / 2;
}

class Cell {
  readonly host: HostedEngine;
  readonly #search: Setting;
  readonly #passing: number | null;
  readonly #qps: number[] = [];
  #recall = 0;

  constructor(host: HostedEngine, search: Setting, passing: number | null) {
    this.host = host;
    this.#search = search;
    this.#passing = passing;
  }

  async measure({ truth, secondsMax }: SweepPlan): Promise<void> {
    const run = { k: K, search: this.#search, passing: this.#passing, secondsMax };
    const { qps, answers } = await this.host.run(run);
    this.#qps.push(qps);
    if (this.#qps.length > 1) return;
    const recalls = answers.map((ids, query) => truth.recall(query, ids, this.#passing ?? undefined));
    this.#recall = recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length;
  }

  point(): Point {
    const qps = percentile(this.#qps, 0.5);
    return {
      variant: this.host.variant,
      search: this.#search,
      passing: this.#passing,
      recall: this.#recall,
      qps,
    };
  }
}

/** The fastest point that finds enough; null when none does. */
export function bestAt(points: readonly Point[], recall: number): Point | null {
  const enough = points.filter((point) => point.recall >= recall);
  return enough.reduce<Point | null>(
    (best, point) => (best === null || point.qps > best.qps ? point : best),
    null,
  );
}

export function settingText(setting: Setting): string {
  return Object.entries(setting)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
