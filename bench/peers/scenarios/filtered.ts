// Filtered search at 0.1 to 90 % of the records, one at a time: recall, and speed against the search without a filter.
import { openDataSet, SLICES } from '../data/data-sets.ts';
import { exactTruth, PASSING } from '../data/truth.ts';
import { type Setting, settingText } from '../engines/engine.ts';
import { HostedEngine } from '../engines/hosted-engine.ts';
import { availableEngines, OURS } from '../engines/index.ts';
import { sweep } from '../engines/sweep.ts';
import { stage } from '../support/progress.ts';
import { buildOnce } from './engines-measured.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import type { Bench } from './scenario.ts';

const RECALL_MIN = 0.98;
const QPS_SHARE = 0.5;
/** Slices that pass; null for the search without a filter. */
export const FILTERS = PASSING.map((passing) => (passing === SLICES ? null : passing));

export interface FilteredPoint {
  readonly name: string;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  readonly qps: number;
}

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
  const { points: swept, failed } = await stage('searching with filters', () => sweep(hosts, options));
  for (const host of hosts) await host.close().catch(() => {});
  const points = swept.map((point) => ({ ...point, name: point.variant.engine.name }));
  const details = `### Filtered search\n\n${filteredTable(points)}`;
  return {
    rows: filteredRows(points, 'filtered search, 1 thread'),
    missing: [...missing, ...failed],
    details,
  };
}

/** A row for every filter. */
export function filteredRows(points: readonly FilteredPoint[], what: string): readonly Row[] {
  const unfiltered = best(points.filter(({ name, passing }) => name === OURS && passing === null));
  return FILTERS.flatMap((passing): readonly Row[] => {
    if (passing === null) return [];
    const own = points.filter((point) => point.passing === passing);
    const ours = best(own.filter(({ name }) => name === OURS));
    const peer = best(own.filter(({ name }) => name !== OURS));
    const share = (ours?.qps ?? 0) / (unfiltered?.qps ?? 1);
    // Speed compares only where both find enough.
    const ratio = ours !== null && peer !== null && finds(ours) && finds(peer) ? ours.qps / peer.qps : null;
    return [
      {
        what: `${what}, ${percent(passing)} of the records match`,
        goal: `recall >= ${RECALL_MIN}, QPS >= ${QPS_SHARE} x unfiltered`,
        ours: ours === null ? NONE : `${pointText(ours)}, ${share.toFixed(2)} x unfiltered`,
        peer: peer === null ? NONE : `${peer.name} ${pointText(peer)}`,
        ratio,
        met: ours !== null && finds(ours) && share >= QPS_SHARE,
        lost: peer !== null && (ratio === null ? finds(peer) : ratio < 1),
      },
    ];
  });
}

/** The fastest that finds enough; otherwise the one that finds most. */
function best(points: readonly FilteredPoint[]): FilteredPoint | null {
  const enough = points.filter(finds);
  const [first] =
    enough.length > 0
      ? enough.toSorted((a, b) => b.qps - a.qps)
      : points.toSorted((a, b) => b.recall - a.recall);
  return first ?? null;
}

function finds({ recall }: FilteredPoint): boolean {
  return recall >= RECALL_MIN;
}

function percent(passing: number | null): string {
  return `${(100 * (passing ?? SLICES)) / SLICES} %`;
}

function pointText({ qps, recall }: FilteredPoint): string {
  return `${rounded(qps)}/s @ ${recall.toFixed(4)}`;
}

export function filteredTable(points: readonly FilteredPoint[]): string {
  return markdownTable(
    ['engine', 'search', 'records that match', 'recall@10', 'QPS'],
    points.map(({ name, search, passing, recall, qps }) => [
      name,
      settingText(search) || 'default',
      percent(passing),
      recall.toFixed(4),
      rounded(qps),
    ]),
  );
}
