// Builds every engine at every build setting, sweeps its search settings and lets the best take turns: the rows on search,
// build and memory share this.
import { type DataSet, openDataSet } from '../data/data-sets.ts';
import { exactTruth } from '../data/truth.ts';
import { settingText } from '../engines/engine.ts';
import type { BuildCost, Opened } from '../engines/host-protocol.ts';
import { HostedEngine } from '../engines/hosted-engine.ts';
import { availableEngines, missingEngines } from '../engines/index.ts';
import { type Built, fitTogether, type Point, sweep } from '../engines/sweep.ts';
import { progress, stage } from '../support/progress.ts';
import { markdownTable, rounded } from './row.ts';
import type { Bench } from './scenario.ts';
import { type SearchContest, searchContests } from './search-contests.ts';

export interface EnginesMeasured {
  readonly data: DataSet;
  /** Number, dimension and kind of the records, in words. */
  readonly size: string;
  readonly built: readonly Built[];
  readonly points: readonly Point[];
  readonly contests: readonly SearchContest[];
  readonly missing: readonly string[];
}

const measured = new WeakMap<Bench, Promise<EnginesMeasured>>();

/** Measures once a run. */
export function measureEngines(bench: Bench): Promise<EnginesMeasured> {
  const measuring = measured.get(bench) ?? measure(bench);
  measured.set(bench, measuring);
  return measuring;
}

async function measure(bench: Bench): Promise<EnginesMeasured> {
  const { plan, cells } = bench;
  const { data, truth } = await stage('vectors and exact answers', async () => {
    const data = await openDataSet(plan.data, plan);
    return { data, truth: await exactTruth(data) };
  });
  const built: Built[] = [];
  const hosts: HostedEngine[] = [];
  const missing = [...missingEngines(plan.engines).map((name) => `${name}: not installed`)];
  const variants = availableEngines(plan.engines).flatMap((engine) =>
    engine.builds.slice(0, plan.builds).map((build) => ({ engine, build })),
  );
  const keepOpen = fitTogether(variants, data);
  for (const variant of variants) {
    const host = new HostedEngine(variant, data);
    try {
      const cost = await stage(`building ${host.name}`, () => buildOnce(host, data, bench));
      const opened = await cells.take(`open ${data.name} ${data.records} ${host.name}`, () =>
        freshOpen(host),
      );
      progress(
        `built ${host.name}: ${cost.seconds.toFixed(1)} s, ${cost.cpuSeconds.toFixed(1)} s of processor time`,
      );
      if (!keepOpen) await host.close();
      built.push({ variant, cost, opened });
      hosts.push(host);
    } catch (error) {
      missing.push(`${host.name}: ${error instanceof Error ? error.message : error}`);
      await host.close().catch(() => {});
    }
  }
  const searchesOf: Parameters<typeof sweep>[1]['searchesOf'] = ({ engine }) => engine.searches;
  const options = { ...plan, cells, data, truth, passing: [null], searchesOf };
  const { points, failed } = await stage('searching', () => sweep(hosts, options));
  const { targets, turns: rounds, sliceSeconds } = plan;
  const contestPlan = { hosts, data, cells, rounds, sliceSeconds, targets };
  const contests = await stage('searching by turns', () => searchContests({ points, built }, contestPlan));
  for (const host of hosts) await host.close().catch(() => {});
  return { data, size: sizeText(data), built, points, contests, missing: [...missing, ...failed] };
}

export function sizeText({ records, dimension, name }: DataSet): string {
  return `${rounded(records)} x ${dimension} ${name}`;
}

/** Builds an index unless this run has done so, or an earlier one whose indexes of this kind the plan takes. */
export async function buildOnce(
  host: HostedEngine,
  data: DataSet,
  { plan, cells }: Bench,
): Promise<BuildCost> {
  const key = `build ${data.source} ${data.records} ${host.name}`;
  const cost = host.builtCost();
  const mayReuse = host.variant.engine.peer === null ? plan.reuseOurs : plan.reuse;
  if (cost !== null && (cells.has(key) || mayReuse)) return cells.put(key, cost);
  return cells.put(key, await host.build());
}

async function freshOpen(host: HostedEngine): Promise<Opened> {
  await host.close();
  return host.open();
}

export function pointsTable(points: readonly Point[]): string {
  return markdownTable(
    ['engine', 'build', 'search', 'recall@10', 'QPS', 'QPS of processor time'],
    points.map(({ variant, search, recall, qps, cpuQps }) => [
      variant.engine.name,
      settingText(variant.build) || 'default',
      settingText(search) || 'default',
      recall.toFixed(4),
      rounded(qps),
      rounded(cpuQps),
    ]),
  );
}
