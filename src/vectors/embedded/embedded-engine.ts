// The embedded VectorEngine: sends each request to the right engine thread, and refuses what the queues cannot hold.
import type { IndexProfile } from '../../domain/index-model.ts';
import { overloaded } from '../../domain/overload.ts';
import type { EngineCall, EngineReply, VectorEngine } from '../engine.ts';
import { writerOf } from './threads/assignment.ts';
import { type EngineThread, startThreads, type ThreadEvents, type Threads } from './threads/thread-pool.ts';

export interface EmbeddedEngineOptions {
  readonly dataDir: string;
  readonly readerThreads: number;
  readonly writerThreads: number;
  /** Requests that may wait for one thread. */
  readonly queueMax: number;
  /** Lane of each data endpoint, by id. */
  readonly lanes: ReadonlyMap<string, 'read' | 'write'>;
  readonly entries: { readonly reader: URL; readonly writer: URL };
  readonly events: ThreadEvents;
}

/** When to come back after an overload: queues of this length drain within about a second. */
const RETRY_AFTER_SECONDS = 1;

export class EmbeddedEngine implements VectorEngine {
  readonly #options: EmbeddedEngineOptions;
  readonly #threads: Threads;

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#threads = startThreads({
      dataDir: options.dataDir,
      readers: { count: options.readerThreads, entry: options.entries.reader },
      writers: { count: options.writerThreads, entry: options.entries.writer },
      events: options.events,
    });
  }

  async createIndex(profile: IndexProfile): Promise<void> {
    await this.#writerOf(profile.id).ask({ type: 'create', profile });
  }

  async dropIndex(indexId: string): Promise<void> {
    await this.#writerOf(indexId).ask({ type: 'drop', indexId });
  }

  async sizeOf(profile: IndexProfile): Promise<{ records: number; bytes: number }> {
    const answer = await this.#writerOf(profile.id).ask({ type: 'size', profile });
    if (answer.type !== 'size') throw new Error(`unexpected answer ${answer.type}`);
    return { records: answer.records, bytes: answer.bytes };
  }

  async run(call: EngineCall): Promise<EngineReply> {
    const lane = this.#options.lanes.get(call.endpointId);
    const thread = lane === 'write' ? this.#writerOf(call.index.id) : this.#idlestReader();
    if (thread.pending >= this.#options.queueMax) throw overloaded(RETRY_AFTER_SECONDS);
    const body = call.body.map(ownPiece);
    const answer = await thread.ask(
      { type: 'run', call: { ...call, body } },
      body.map((piece) => piece.buffer),
    );
    if (answer.type !== 'reply') throw new Error(`unexpected answer ${answer.type}`);
    return answer.reply;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.readers.map((thread) => thread.close()));
    await Promise.all(this.#threads.writers.map((thread) => thread.close()));
  }

  #writerOf(indexId: string): EngineThread {
    return pick(this.#threads.writers[writerOf(indexId, this.#threads.writers.length)]);
  }

  #idlestReader(): EngineThread {
    return pick(
      this.#threads.readers.reduce((best, thread) => (thread.pending < best.pending ? thread : best)),
    );
  }
}

function pick(thread: EngineThread | undefined): EngineThread {
  if (thread === undefined) throw new Error('the engine has no threads');
  return thread;
}

/** A piece with a buffer of its own, which can be transferred: HTTP/2 and small bodies come as views of a shared one. */
function ownPiece(piece: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = piece;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(piece);
}
