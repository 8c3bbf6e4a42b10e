// Builds every engine at every build setting and sweeps its search settings: the rows on search, build and memory share this.
import { type DataSet, openDataSet } from '../data/data-sets.ts';
import { exactTruth } from '../data/truth.ts';
import { HostedEngine } from '../engines/hosted-engine.ts';
import { availableEngines, missingEngines } from '../engines/index.ts';
import { type Built, fitTogether, type Point, settingText, sweep } from '../engines/sweep.ts';
import type { Plan } from '../plan.ts';
import { progress } from '../support/progress.ts';
import { markdownTable, rounded } from './row.ts';

export interface EnginesMeasured {
  readonly data: DataSet;
  readonly built: readonly Built[];
  readonly points: readonly Point[];
  readonly missing: readonly string[];
}

let measured: Promise<EnginesMeasured> | undefined;

/** Measures once a run. */
export function measureEngines(plan: Plan): Promise<EnginesMeasured> {
  measured ??= measure(plan);
  return measured;
}

async function measure(plan: Plan): Promise<EnginesMeasured> {
  const data = await openDataSet(plan.data, plan);
  const truth = await exactTruth(data);
  const built: Built[] = [];
  const hosts: HostedEngine[] = [];
  const missing = [...missingEngines().map((name) => `${name}: not installed`)];
  const variants = availableEngines(plan.engines).flatMap((engine) =>
    engine.builds.slice(0, plan.builds).map((build) => ({ engine, build })),
  );
  const keepOpen = fitTogether(variants, data);
  for (const variant of variants) {
    const what = `${variant.engine.name} ${settingText(variant.build)}`;
    const host = new HostedEngine(variant, data);
    try {
      progress(`building ${what}`);
      const cost = await host.build(plan.reuse);
      const opened = await host.open();
      progress(
        `built ${what}: ${cost.seconds.toFixed(1)} s, ${cost.cpuSeconds.toFixed(1)} s of processor time`,
      );
      if (!keepOpen) await host.close();
      built.push({ variant, cost, opened });
      hosts.push(host);
    } catch (error) {
      missing.push(`${what}: ${error instanceof Error ? error.message : error}`);
    }
  }
  progress('searching');
  const searchesOf: Parameters<typeof sweep>[1]['searchesOf'] = ({ engine }) => engine.searches;
  const points = await sweep(hosts, { ...plan, data, truth, passing: [null], searchesOf });
  for (const host of hosts) await host.close();
  return { data, built, points, missing };
}

export function pointsTable(points: readonly Point[]): string {
  return markdownTable(
    ['engine', 'build', 'search', 'recall@10', 'QPS'],
    points.map(({ variant, search, recall, qps }) => [
      variant.engine.name,
      settingText(variant.build) || 'default',
      settingText(search) || 'default',
      recall.toFixed(4),
      rounded(qps),
    ]),
  );
}
