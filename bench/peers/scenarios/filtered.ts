// Filtered search at 0.1 to 90 % of the records, one at a time: recall, and speed against the search without a filter.
import { openDataSet, SLICES } from '../data/data-sets.ts';
import { exactTruth, PASSING } from '../data/truth.ts';
import type { Setting } from '../engines/engine.ts';
import { HostedEngine } from '../engines/hosted-engine.ts';
import { availableEngines, OURS } from '../engines/index.ts';
import { settingText, sweep } from '../engines/sweep.ts';
import type { Plan } from '../plan.ts';
import { startServers } from '../servers/index.ts';
import { progress } from '../support/progress.ts';
import { markdownTable, NONE, type Outcome, type Row, rounded } from './row.ts';
import { servedPoints } from './served-points.ts';

const RECALL_MIN = 0.98;
const QPS_SHARE = 0.5;
/** A server has many settings times filters. */
const LOAD_SECONDS_MAX = 1.5;
const FILTERS = PASSING.map((passing) => (passing === SLICES ? null : passing));

interface FilteredPoint {
  readonly name: string;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  readonly qps: number;
}

export async function filtered(plan: Plan): Promise<Outcome> {
  const data = await openDataSet(plan.data, plan);
  const truth = await exactTruth(data);
  const missing: string[] = [];
  const hosts: HostedEngine[] = [];
  for (const engine of availableEngines(plan.engines).filter(({ filters }) => filters)) {
    // One build each: the quick one, whose recall filters strain most.
    const host = new HostedEngine({ engine, build: engine.builds[0] ?? {} }, data);
    progress(`building ${engine.name} for filters`);
    await host.build(true);
    await host.open();
    hosts.push(host);
  }
  progress('searching with filters');
  const searchesOf: Parameters<typeof sweep>[1]['searchesOf'] = ({ engine }) => engine.searches;
  const inProcess = await sweep(hosts, { ...plan, data, truth, passing: FILTERS, searchesOf });
  for (const host of hosts) await host.close();
  const points: FilteredPoint[] = inProcess.map((point) => ({ ...point, name: point.variant.engine.name }));
  const asked = { data, truth, plan: { ...plan, loadSeconds: Math.min(plan.loadSeconds, LOAD_SECONDS_MAX) } };
  const { servers, missing: absent, stop } = await startServers(plan.filteredServers, data);
  try {
    for (const server of servers) {
      progress(`loading ${server.name} for filters`);
      await server.load(data);
      const served = await servedPoints([server], { ...asked, lanes: 1, passing: FILTERS });
      points.push(...served.map((point) => ({ ...point, name: server.name })));
    }
  } finally {
    await stop();
  }
  missing.push(...absent);
  return { rows: rowsOf(points), missing, details: `### Filtered search\n\n${pointsTable(points)}` };
}

function rowsOf(points: readonly FilteredPoint[]): readonly Row[] {
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
        what: `filtered search, ${percent(passing)} of the records match`,
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

function pointsTable(points: readonly FilteredPoint[]): string {
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
