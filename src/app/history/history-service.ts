// Tells what changed in an index, and has namespaces taken back to a moment by a job.
import type { ProjectAccess } from '../../domain/access.ts';
import { servedNamespace } from '../../domain/aliases/alias-names.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import { refuseWhileRemade } from '../../domain/embedding/remade-vectors.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type {
  IndexHistories,
  IndexHistoryDetails,
  PastChange,
  PastChangesRequest,
  Undo,
  UndoRequest,
} from '../../domain/history/services.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { profileOf, storageIdOf } from '../../domain/index-model.ts';
import { isActive } from '../../domain/jobs.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { type KeptHistory, keptHistory, readyIndex } from './kept-history.ts';
import { UNDO_KIND, type UndoInput, undoInputOf, undoOf } from './undo-job.ts';

export interface HistoryServiceParts extends IndexJobStarterParts {
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
  readonly engine: Pick<VectorStore, 'capabilities' | 'history' | 'reader'>;
  readonly aliases: Pick<AliasDirectory, 'shared'>;
}

export class HistoryService implements IndexHistories {
  readonly #parts: HistoryServiceParts;
  readonly #starter: IndexJobStarter;

  constructor(parts: HistoryServiceParts) {
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, UNDO_KIND);
  }

  async describe(access: ProjectAccess, name: string): Promise<IndexHistoryDetails> {
    const index = await readyIndex(this.#parts.indexes, access, name);
    const kept = await keptHistory(this.#parts.engine, index);
    const undoState = (await this.#starter.latest(index))?.state ?? null;
    if (kept === null) return { window: null, undoState };
    const { fromMs, ...window } = kept.window;
    return { undoState, window: { ...window, from: new Date(fromMs).toISOString() } };
  }

  async changes(access: ProjectAccess, name: string, request: PastChangesRequest) {
    const { indexes, engine, aliases } = this.#parts;
    const index = await readyIndex(indexes, access, name);
    const kept = await keptHistory(engine, index);
    if (kept === null) return { changes: [], next: null };
    const { namespace: named, ...page } = request;
    const namespace = named === null ? null : servedNamespace(aliases.shared(index.id), named);
    const { entries, next } = await kept.history.list({ namespace, ...page });
    const changes = entries.map(({ ms, ...entry }): PastChange => {
      return { ...entry, at: new Date(ms).toISOString() };
    });
    return { changes, next };
  }

  async undo(access: ProjectAccess, name: string, { namespace, to }: UndoRequest): Promise<Undo> {
    const index = await readyIndex(this.#parts.indexes, access, name);
    const kept = await keptHistory(this.#parts.engine, index);
    if (kept === null) throw invalid('this server keeps no history of the index');
    const { aliases } = this.#parts;
    if (namespace !== null && servedNamespace(aliases.shared(index.id), namespace) !== namespace)
      throw fault('write-to-alias', { name: namespace });
    const toLsn = await lsnOf(kept, to);
    const latest = await this.#starter.latest(index);
    // One that is under way has its texts refused itself, and answers a repeated request.
    if (latest === undefined || !isActive(latest)) refuseWhileRemade(index);
    const begunLsn = await this.#parts.engine.reader(profileOf(index)).lsn();
    const input: UndoInput = { namespace, toLsn, begunLsn, storageId: storageIdOf(index) };
    const job = await this.#starter.start(index, { subject: null, input });
    const known = undoInputOf(job);
    if (known.namespace !== namespace || known.toLsn !== toLsn)
      throw invalid('another undo of the index is under way; wait for its end');
    return undoOf(job);
  }

  async latestUndo(access: ProjectAccess, name: string): Promise<Undo> {
    const index = await this.#parts.indexes.describe(access, name);
    const latest = await this.#starter.latest(index);
    if (latest === undefined) throw fault('undo-not-found', { index: name });
    return undoOf(latest);
  }
}

/** @throws invalid-argument */
async function lsnOf({ history, window }: KeptHistory, to: UndoRequest['to']): Promise<number> {
  const { fromLsn, toLsn, fromMs } = window;
  if ('lsn' in to) {
    if (to.lsn > toLsn) throw invalid(`to_lsn must be at most ${toLsn}, the last write of the index`);
    if (to.lsn < fromLsn) throw invalid(`to_lsn must be at least ${fromLsn}: the history begins there`);
    return to.lsn;
  }
  const lsn = await history.lsnAt(to.ms);
  if (lsn === null)
    throw invalid(`to_time must be ${new Date(fromMs).toISOString()} or later: the history begins there`);
  return lsn;
}
