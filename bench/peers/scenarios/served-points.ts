// A server under load at each of its settings, in rounds, with the recall of what it answers.
import { percentile } from '../../support/figures.ts';
import type { DataSet } from '../data/data-sets.ts';
import { K, type Truth } from '../data/truth.ts';
import type { Setting } from '../engines/engine.ts';
import { keepAsking, type LoadResult } from '../servers/load.ts';
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

/** What one setting of a server did under load. */
export interface ServedSlice {
  readonly qps: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function servedPoints(server: Server, options: ServedOptions): Promise<readonly ServedPoint[]> {
  const spots = options.searches.flatMap((search) => options.passing.map((passing) => ({ search, passing })));
  const rounds: (ServedSlice & { readonly recall: number })[][] = [];
  for (let round = 0; round < options.rounds; round++) {
    rounds.push([]);
    for (const spot of spots) rounds.at(-1)?.push(await measure(server, spot, options));
  }
  return spots.map((spot, at) => {
    const all = rounds.flatMap((points) => points[at] ?? []);
    const median = (of: (slice: ServedSlice) => number) => percentile(all.map(of), 0.5);
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

async function measure(server: Server, spot: Spot, { data, truth, lanes, loadSeconds }: ServedOptions) {
  const load = { lanes, seconds: loadSeconds, first: 0 };
  const { answers, ...slice } = await loadOn(server, spot, { data, ...load });
  const recalls = [...answers].map(([query, answer]) =>
    truth.recall(query, server.ids(answer), spot.passing ?? undefined),
  );
  return { ...slice, recall: recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length };
}

type Spot = Pick<ServedPoint, 'search' | 'passing'>;

/** Asks a server with so many clients for some seconds, from the query `first` on. */
export async function loadOn(
  server: Server,
  { search, passing }: Spot,
  load: {
    readonly data: DataSet;
    readonly lanes: number;
    readonly seconds: number;
    readonly first: number;
  },
): Promise<LoadResult> {
  await server.choose(search);
  const lanes = await Promise.all(Array.from({ length: load.lanes }, () => server.open(search, passing)));
  const requests = load.data.queryRows.map((query) => server.request(query, K, passing));
  const result = await keepAsking(lanes, requests, load);
  for (const lane of lanes) lane.close();
  return result;
}
