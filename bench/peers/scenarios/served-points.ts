// A server under load at each of its settings, in rounds, with the recall of what it answers.
import { percentile } from '../../support/figures.ts';
import type { DataSet } from '../data/data-sets.ts';
import { K, type Truth } from '../data/truth.ts';
import type { Setting } from '../engines/engine.ts';
import { keepAsking } from '../servers/load.ts';
import type { Server } from '../servers/server.ts';

export interface ServedPoint {
  /** The server's name. */
  readonly name: string;
  readonly search: Setting;
  readonly passing: number | null;
  readonly recall: number;
  /** These are medians over the rounds. */
  readonly qps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ServedOptions {
  readonly data: DataSet;
  readonly truth: Truth;
  readonly rounds: number;
  readonly loadSeconds: number;
  readonly lanes: number;
  readonly searches: readonly Setting[];
  readonly passing: readonly (number | null)[];
}

export async function servedPoints(server: Server, options: ServedOptions): Promise<readonly ServedPoint[]> {
  const spots = options.searches.flatMap((search) => options.passing.map((passing) => ({ search, passing })));
  const rounds: ServedPoint[][] = [];
  for (let round = 0; round < options.rounds; round++) {
    const points: ServedPoint[] = [];
    for (const spot of spots) points.push(await measure(server, spot, options));
    rounds.push(points);
  }
  return spots.map((spot, at) => {
    const all = rounds.flatMap((points) => points[at] ?? []);
    const median = (of: (point: ServedPoint) => number) => percentile(all.map(of), 0.5);
    return {
      name: server.name,
      ...spot,
      recall: all[0]?.recall ?? 0,
      qps: median(({ qps }) => qps),
      p50Ms: median(({ p50Ms }) => p50Ms),
      p99Ms: median(({ p99Ms }) => p99Ms),
    };
  });
}

async function measure(
  server: Server,
  spot: Pick<ServedPoint, 'search' | 'passing'>,
  { data, truth, lanes: count, loadSeconds }: ServedOptions,
): Promise<ServedPoint> {
  const { search, passing } = spot;
  await server.choose(search);
  const lanes = await Promise.all(Array.from({ length: count }, () => server.open(search, passing)));
  const requests = data.queryRows.map((query) => server.request(query, K, passing));
  const { answers, ...figures } = await keepAsking(lanes, requests, loadSeconds);
  for (const lane of lanes) lane.close();
  let found = 0;
  for (const [query, answer] of answers)
    found += truth.recall(query, server.ids(answer), passing ?? undefined);
  return { name: server.name, ...spot, ...figures, recall: found / answers.size };
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
