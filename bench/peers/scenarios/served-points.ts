// Servers under load at each of their settings, in rounds, with the recall of what they answered.
import { percentile } from '../../support/figures.ts';
import type { DataSet } from '../data/data-sets.ts';
import { K, type Truth } from '../data/truth.ts';
import type { Setting } from '../engines/engine.ts';
import type { Plan } from '../plan.ts';
import { keepAsking } from '../servers/load.ts';
import type { Server } from '../servers/server.ts';

export interface ServedPoint {
  readonly server: Server;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  /** These are medians over the rounds. */
  readonly qps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ServedOptions {
  readonly plan: Plan;
  readonly data: DataSet;
  readonly truth: Truth;
  readonly lanes: number;
  readonly passing: readonly (number | null)[];
}

export async function servedPoints(
  servers: readonly Server[],
  options: ServedOptions,
): Promise<readonly ServedPoint[]> {
  const cells = servers.flatMap((server) =>
    server.searches.flatMap((search) => options.passing.map((passing) => ({ server, search, passing }))),
  );
  const rounds: ServedPoint[][] = [];
  for (let round = 0; round < options.plan.rounds; round++) {
    const points: ServedPoint[] = [];
    for (const cell of cells) points.push(await measure(cell, options));
    rounds.push(points);
  }
  return cells.map((cell, at) => {
    const all = rounds.flatMap((points) => points[at] ?? []);
    const median = (of: (point: ServedPoint) => number) => percentile(all.map(of), 0.5);
    return {
      ...cell,
      recall: all[0]?.recall ?? 0,
      qps: median(({ qps }) => qps),
      p50Ms: median(({ p50Ms }) => p50Ms),
      p99Ms: median(({ p99Ms }) => p99Ms),
    };
  });
}

async function measure(
  cell: Pick<ServedPoint, 'server' | 'search' | 'passing'>,
  { plan, data, truth, lanes: count }: ServedOptions,
): Promise<ServedPoint> {
  const { server, search, passing } = cell;
  await server.choose(search);
  const lanes = await Promise.all(Array.from({ length: count }, () => server.open(search, passing)));
  const requests = data.queryRows.map((query) => server.request(query, K, passing));
  const { qps, p50Ms, p99Ms, answers } = await keepAsking(lanes, requests, plan.loadSeconds);
  for (const lane of lanes) lane.close();
  let found = 0;
  for (const [query, answer] of answers)
    found += truth.recall(query, server.ids(answer), passing ?? undefined);
  return { ...cell, qps, p50Ms, p99Ms, recall: found / answers.size };
}

/** The fastest point of at least this recall; of points that find too little, the one that finds most. */
export function bestServed(points: readonly ServedPoint[], recall: number): ServedPoint | null {
  const enough = points.filter((point) => point.recall >= recall);
  if (enough.length > 0) return enough.reduce((best, point) => (point.qps > best.qps ? point : best));
  return points.reduce<ServedPoint | null>(
    (best, point) => (best === null || point.recall > best.recall ? point : best),
    null,
  );
}
