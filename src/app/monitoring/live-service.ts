// The live view of a project: its requests as they end, and figures of the last day.
import type { ProjectAccess } from '../../domain/access.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { FollowingOptions, LiveFigures, LiveView, SeenRequest } from '../../domain/live.ts';
import type { Figure, MinuteSeries } from './minute-series.ts';
import type { RecentRequests } from './recent-requests.ts';

const MINUTE_MS = 60_000;

export interface LiveParts {
  readonly indexes: Pick<IndexLifecycle, 'list'>;
  readonly series: MinuteSeries;
  readonly requests: RecentRequests;
}

export class LiveService implements LiveView {
  readonly #parts: LiveParts;

  constructor(parts: LiveParts) {
    this.#parts = parts;
  }

  async figures(access: ProjectAccess, indexName: string | null, minutes: number): Promise<LiveFigures> {
    const own = await this.#parts.indexes.list(access);
    const shown = indexName === null ? own : own.filter(({ name }) => name === indexName);
    if (indexName !== null && shown.length === 0) throw fault('index-not-found', { name: indexName });
    const ids = shown.map(({ id }) => id);
    const sum = (figure: Figure) => this.#combined(ids, { figure, minutes }, (a, b) => a + b);
    // Latencies of several indexes together are those of the slowest: an upper bound, as each of them is.
    const most = (figure: Figure) =>
      this.#combined(ids, { figure, minutes }, Math.max).map((value) => (value === 0 ? null : value));
    const from = (Math.floor(Date.now() / MINUTE_MS) - minutes + 1) * MINUTE_MS;
    return {
      from: new Date(from).toISOString(),
      figures: {
        queries: sum('queries'),
        writes: sum('writes'),
        others: sum('others'),
        refused: sum('refused'),
        failed: sum('failed'),
        p50Ms: most('p50Ms'),
        p99Ms: most('p99Ms'),
      },
    };
  }

  follow({ projectId }: ProjectAccess, options: FollowingOptions): AsyncIterable<readonly SeenRequest[]> {
    return this.#parts.requests.follow(projectId, options);
  }

  #combined(
    ids: readonly string[],
    { figure, minutes }: { readonly figure: Figure; readonly minutes: number },
    combine: (a: number, b: number) => number,
  ): readonly number[] {
    const all = ids.map((id) => this.#parts.series.of(id, figure, minutes));
    return Array.from({ length: minutes }, (_, i) =>
      all.reduce((value, each) => combine(value, each[i] ?? 0), 0),
    );
  }
}
