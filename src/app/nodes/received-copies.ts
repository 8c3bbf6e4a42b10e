// Copies that other nodes make on this one, before an index answers here.
import type { NodeStore } from '../../catalog/port.ts';
import { type Assistant, chunkIndexes } from '../../domain/assistants/assistant.ts';
import { Fault, fault } from '../../domain/faults.ts';
import { type Index, type IndexProfile, storedProfileOf } from '../../domain/index-model.ts';
import { type CopyStep, MOVE_LSN_AHEAD } from '../../domain/nodes/moves.ts';
import type { CopyDetails } from '../../engine/port/index-copies.ts';
import { recordsIn } from '../../engine/port/portable-records.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { CopyState } from './remote-copies.ts';

export interface ReceivedCopiesParts {
  readonly nodeId: string;
  readonly store: Pick<NodeStore, 'placementOf' | 'condemnCopy' | 'endCopy' | 'leftovers'>;
  /** Without the fence: these copies are not what this node owns. */
  readonly engine: () => VectorStore;
  readonly indexById: (id: string) => Index | undefined;
  readonly assistantById: (id: string) => Promise<Assistant | null>;
  readonly catchUp: () => Promise<void>;
  /** What another node offers, in pieces that may be transferred. @throws when it is not alive */
  readonly download: (nodeId: string, storageId: string) => AsyncIterable<Uint8Array>;
}

export interface CopyRef {
  readonly indexId: string;
  readonly storageId: string;
}

export class ReceivedCopies {
  readonly #parts: ReceivedCopiesParts;

  constructor(parts: ReceivedCopiesParts) {
    this.#parts = parts;
  }

  /** Fetches the copy from the node that offers it. @throws move-refused when the catalog knows of no such copy, CopyFailed, and as the engine */
  async import(ref: CopyRef, fromNodeId: string): Promise<CopyDetails> {
    const profile = await this.#profileOf(ref);
    const { engine, download } = this.#parts;
    const bytes = download(fromNodeId, ref.storageId);
    return engine().copies(profile).import(bytes, { lsnAhead: MOVE_LSN_AHEAD });
  }

  /** Makes the copy empty. Safe to repeat. @throws as `import` */
  async create(ref: CopyRef): Promise<void> {
    const profile = await this.#profileOf(ref);
    await this.#parts.engine().createIndex(profile);
  }

  /** @param content one batch, as `frameContent` makes it */
  async upsert(ref: CopyRef, namespace: string, content: Uint8Array): Promise<void> {
    const profile = await this.#profileOf(ref);
    const records = recordsIn(Buffer.from(content), profile.dimension);
    await this.#parts.engine().writer(profile).upsert(namespace, records);
  }

  async follow(ref: CopyRef, step: CopyStep): Promise<void> {
    const profile = await this.#profileOf(ref);
    const writer = this.#parts.engine().writer(profile);
    switch (step.kind) {
      case 'delete-records':
        await unlessMissing(() => writer.deleteIds(step.namespace, step.ids));
        break;
      case 'drop-namespace':
        await unlessMissing(() => writer.deleteNamespace(step.namespace));
        break;
      case 'create-namespace':
        if ((await this.#parts.engine().reader(profile).describeNamespace(step.namespace)) === null)
          await writer.createNamespace(step.namespace, step.schema);
        break;
    }
  }

  async describe(ref: CopyRef): Promise<CopyState> {
    const reader = this.#parts.engine().reader(await this.#profileOf(ref));
    const counts = (await reader.recordCounts()).flat();
    return {
      lsn: await reader.lsn(),
      recordCount: counts.reduce((sum, { recordCount }) => sum + recordCount, 0),
      namespaceCount: counts.length,
    };
  }

  /** Safe to repeat. @throws move-refused for what is no copy, as an index that answers */
  async drop({ indexId, storageId }: CopyRef): Promise<void> {
    const { store, nodeId, engine } = this.#parts;
    const copy = (await store.placementOf(indexId))?.copy ?? null;
    if (copy === null) return;
    if (copy.nodeId !== nodeId || copy.storageId !== storageId) throw refused();
    // First, so that no switch makes it answer while it is being removed.
    if (!(await store.condemnCopy(indexId, copy))) return;
    await engine().dropIndex(storageId);
    await store.endCopy(indexId, copy);
  }

  refresh(): Promise<void> {
    return this.#parts.catchUp();
  }

  async #profileOf({ indexId, storageId }: CopyRef): Promise<IndexProfile> {
    const { store, nodeId, indexById, catchUp } = this.#parts;
    const copy = (await store.placementOf(indexId))?.copy ?? null;
    if (copy?.nodeId !== nodeId || copy.storageId !== storageId)
      return this.#chunkProfile(indexId, storageId);
    if (indexById(indexId) === undefined) await catchUp();
    const index = indexById(indexId);
    if (index === undefined) throw refused();
    return storedProfileOf({ ...index, storageId });
  }

  /** Of the copy of an assistant's index. */
  async #chunkProfile(assistantId: string, storageId: string): Promise<IndexProfile> {
    const { store, nodeId, assistantById } = this.#parts;
    const noted = (await store.leftovers(nodeId)).find((each) => each.storageId === storageId);
    const assistant = await assistantById(assistantId);
    if (noted?.jobId === undefined || noted.jobId === null || noted.part === null || assistant === null)
      throw refused();
    return { ...chunkIndexes(assistant)[noted.part], id: storageId };
  }
}

function refused(): Fault {
  return fault('move-refused', { reason: 'the catalog knows of no such copy' });
}

async function unlessMissing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Fault) || error.condition !== 'namespace-not-found') throw error;
  }
}
