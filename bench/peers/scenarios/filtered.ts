// Filtered search at 0.1 to 90 % of the records, one at a time: recall, and speed against the search without a filter.
import { openDataSet } from '../data/data-sets.ts';
import { exactTruth } from '../data/truth.ts';
import { contest } from '../engines/contest.ts';
import { HostedEngine } from '../engines/hosted-engine.ts';
import { availableEngines } from '../engines/index.ts';
import { type Point, sweep } from '../engines/sweep.ts';
import { stage } from '../support/progress.ts';
import { buildOnce, sizeText } from './engines-measured.ts';
import {
  FILTERS,
  filterContests,
  filterContestsTable,
  filteredRows,
  filteredTable,
} from './filter-contests.ts';
import type { Outcome } from './row.ts';
import type { Bench } from './scenario.ts';

export async function filtered(bench: Bench): Promise<Outcome> {
  const { plan, cells } = bench;
  const data = await openDataSet(plan.data, plan);
  const truth = await exactTruth(data);
  const hosts: HostedEngine[] = [];
  const missing: string[] = [];
  for (const engine of availableEngines(plan.engines)) {
    if (engine.filterSearches.length === 0) continue;
    // One build each: the quick one, whose recall filters strain most.
    const host = new HostedEngine({ engine, build: engine.builds[0] ?? {} }, data);
    try {
      await stage(`building ${host.name}`, () => buildOnce(host, data, bench));
      hosts.push(host);
    } catch (error) {
      missing.push(`${host.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  const searchesOf: Parameters<typeof sweep>[1]['searchesOf'] = ({ engine }) => engine.filterSearches;
  const options = { ...plan, cells, data, truth, passing: FILTERS, searchesOf };
  const { points, failed } = await stage('searching with filters', () => sweep(hosts, options));
  const turns = { hosts, data, cells, rounds: plan.filterTurns, sliceSeconds: plan.sliceSeconds };
  const race = (ours: Point, others: readonly Point[]) => contest(ours, others, turns);
  const contests = await stage('searching with filters by turns', () => filterContests(points, race));
  for (const host of hosts) await host.close().catch(() => {});
  const size = sizeText(data);
  const details = [
    `### Filtered search, ${size}`,
    filteredTable(points),
    `### Filtered search by turns, ${size}`,
    filterContestsTable(contests),
  ];
  return {
    rows: filteredRows(contests, `filtered search, 1 thread, ${size}`),
    missing: [...missing, ...failed],
    details: details.join('\n\n'),
  };
}
