// The history of an index, where one is kept.
import type { ProjectAccess } from '../../domain/access.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, isReady, profileOf } from '../../domain/index-model.ts';
import type { HistoryWindow, IndexHistory } from '../../engine/port/index-history.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';

export interface KeptHistory {
  readonly history: IndexHistory;
  readonly window: HistoryWindow;
}

/** @throws index-not-found, index-not-ready */
export async function readyIndex(
  indexes: Pick<IndexLifecycle, 'describe'>,
  access: ProjectAccess,
  name: string,
): Promise<Index> {
  const index = await indexes.describe(access, name);
  if (!isReady(index.state)) throw fault('index-not-ready', { name });
  return index;
}

/** Null where no history is kept. */
export async function keptHistory(
  engine: Pick<VectorStore, 'capabilities' | 'history'>,
  index: Index,
): Promise<KeptHistory | null> {
  if (!engine.capabilities.history) return null;
  const history = engine.history(profileOf(index));
  const window = await history.describe();
  return window === null ? null : { history, window };
}
