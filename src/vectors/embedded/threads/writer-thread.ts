// A writer thread: owns the indexes assigned to it, runs their write endpoints, and keeps readers informed.
import type { MessagePort } from 'node:worker_threads';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { EngineCall, EngineReply } from '../../engine.ts';
import type { VectorWriter } from '../../port.ts';
import { Epochs } from '../memory/epochs.ts';
import type { StructureDelta } from '../memory/structure.ts';
import { bytesOnDisk, indexFolder, removeFolder } from '../storage/index-files.ts';
import { type OpenIndex, openIndex } from '../writing/open-index.ts';
import { toPlain } from './plain-error.ts';
import type { ReaderMessage, ThreadAnswer, ThreadRequest, ThreadStart, WriterMessage } from './protocol.ts';

type ServedIndex = OpenIndex & { readonly readers: Set<MessagePort> };

/** Runs a write endpoint against the index's writer. */
export type RunWrite = (call: EngineCall, writer: VectorWriter) => Promise<EngineReply>;

export class WriterThread {
  readonly #start: ThreadStart;
  readonly #runWrite: RunWrite;
  readonly #epochs: Epochs;
  readonly #indexes = new Map<string, ServedIndex>();
  /** Ids that are gone for good; late requests must not make their files again. */
  readonly #dropped = new Set<string>();

  constructor(start: ThreadStart, runWrite: RunWrite) {
    this.#start = start;
    this.#runWrite = runWrite;
    this.#epochs = new Epochs(start.epochs);
    for (const peer of start.peers)
      peer.on('message', (message: ReaderMessage) => this.#onReader(peer, message));
  }

  async answer(request: ThreadRequest): Promise<ThreadAnswer> {
    const { callId } = request;
    switch (request.type) {
      case 'run':
        return {
          callId,
          type: 'reply',
          reply: await this.#runWrite(request.call, this.#open(request.call.index).writer),
        };
      case 'create':
        this.#open(request.profile);
        return { callId, type: 'done' };
      case 'drop':
        await this.#drop(request.indexId);
        return { callId, type: 'done' };
      case 'size':
        return { callId, type: 'size', ...this.#size(request.profile) };
      case 'close':
        await Promise.all([...this.#indexes.keys()].map((id) => this.#close(id)));
        for (const peer of this.#start.peers) peer.close();
        return { callId, type: 'done' };
    }
  }

  #open(profile: IndexProfile): ServedIndex {
    const known = this.#indexes.get(profile.id);
    if (known !== undefined) return known;
    if (this.#dropped.has(profile.id)) throw fault('index-not-found', { name: profile.name });
    const readers = new Set<MessagePort>();
    const announce = (delta: StructureDelta) => {
      const message: WriterMessage = { type: 'delta', indexId: profile.id, delta };
      for (const port of readers) port.postMessage(message);
    };
    const folder = indexFolder(this.#start.dataDir, profile.id);
    const opened = { ...openIndex(profile, folder, { epochs: this.#epochs, announce }), readers };
    this.#indexes.set(profile.id, opened);
    return opened;
  }

  async #close(indexId: string): Promise<void> {
    const index = this.#indexes.get(indexId);
    if (index === undefined) return;
    this.#indexes.delete(indexId);
    await index.close();
    for (const port of index.readers) port.postMessage({ type: 'detach', indexId } satisfies WriterMessage);
  }

  async #drop(indexId: string): Promise<void> {
    this.#dropped.add(indexId);
    await this.#close(indexId);
    removeFolder(indexFolder(this.#start.dataDir, indexId));
  }

  #size(profile: IndexProfile): { records: number; bytes: number } {
    const { store } = this.#open(profile).files;
    let records = 0;
    for (const { row } of store.namespacesFrom('', null)) records += row.recordCount;
    return { records, bytes: bytesOnDisk(indexFolder(this.#start.dataDir, profile.id)) };
  }

  #onReader(port: MessagePort, message: ReaderMessage): void {
    if (message.type === 'load') {
      this.#indexes.get(message.indexId)?.loaded.load(message.spaceId, message.filterable);
      return;
    }
    const indexId = message.profile.id;
    try {
      const { arena, columnSeed, loaded, readers } = this.#open(message.profile);
      readers.add(port);
      const answer: WriterMessage = {
        type: 'attached',
        indexId,
        memory: arena.memory,
        columnSeed,
        structures: loaded.structures(),
        tooLarge: loaded.spacesTooLarge(),
        structureVersion: arena.structureVersion,
      };
      port.postMessage(answer);
    } catch (error) {
      port.postMessage({ type: 'refused', indexId, error: toPlain(error) } satisfies WriterMessage);
    }
  }
}
