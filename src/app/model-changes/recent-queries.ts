// The latest queries by text of each index, in memory: two models are compared by what people really ask.

import type { ComparedQuery } from '../../domain/embedding/model-change-service.ts';
import { RecentMap } from '../../domain/recent-map.ts';

const INDEXES_MAX = 256;
const QUERIES_MAX = 100;
/** Longer queries are left out: a few of them would fill the memory. */
const CHARS_MAX = 1_000;

export class RecentQueries {
  readonly #indexes = new RecentMap<Map<string, ComparedQuery>>(INDEXES_MAX);

  note(indexId: string, { namespace, text }: ComparedQuery): void {
    if (text.length > CHARS_MAX) return;
    const queries = this.#indexes.get(indexId) ?? this.#indexes.set(indexId, new Map());
    const key = JSON.stringify([namespace, text]);
    queries.delete(key);
    queries.set(key, { namespace, text });
    const [oldest] = queries.keys();
    if (queries.size > QUERIES_MAX && oldest !== undefined) queries.delete(oldest);
  }

  /** The oldest first. */
  of(indexId: string): readonly ComparedQuery[] {
    return [...(this.#indexes.get(indexId)?.values() ?? [])];
  }
}
