// All engine threads of a process: starts them, connects them, and puts another in the place of one that dies.
import { MessageChannel } from 'node:worker_threads';
import { QueryLoad } from '../indexing/builds/build-pause.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { EngineThread } from './engine-thread.ts';
import type {
  MemoryShare,
  ThreadCounts,
  ThreadKind,
  ThreadName,
  ThreadNotice,
  ThreadReport,
  ThreadStart,
} from './protocol.ts';
import { ThreadSlot } from './thread-slot.ts';

export interface PoolEvents {
  /** A request ended in a plain 500. */
  readonly onReport: (report: ThreadReport) => void;
  /** A thread died; another takes its place. */
  readonly onRestart: (thread: ThreadName, error: Error) => void;
  /** Threads die too often: the process should end. */
  readonly onCrashLoop: (error: Error) => void;
  /** A thread has ended with locks in hand: the process must be killed, as `process.exit` would wait for it for ever. */
  readonly onDeadlock: (thread: ThreadName) => void;
}

export interface PoolOptions {
  readonly dataDir: string;
  readonly counts: ThreadCounts;
  readonly entries: Readonly<Record<ThreadKind, URL>>;
  readonly events: PoolEvents;
  /** Default: nothing bounds memory. */
  readonly memory?: {
    /** Bytes that the arenas of all indexes may take together. */
    readonly bytesMax: number;
    /** Default COLD_AFTER_SECONDS. */
    readonly coldAfterSeconds?: number;
  };
}

/** A thread that dies again and again does so for a reason that another start will not cure. */
export const DEATHS_A_MINUTE_MAX = 10;
const MINUTE_MS = 60_000;
/** How often threads with requests waiting are looked at. */
const PROBE_MS = 1_000;

export class ThreadPool {
  readonly readers: readonly ThreadSlot[];
  readonly writers: readonly ThreadSlot[];
  readonly builders: readonly ThreadSlot[];
  readonly #options: PoolOptions;
  readonly #epochs: SharedArrayBuffer;
  readonly #queryLoad: SharedArrayBuffer;
  readonly #memory: MemoryShare;
  readonly #dropped = new Set<string>();
  readonly #probing: NodeJS.Timeout;
  #deaths: number[] = [];
  #isClosing = false;

  constructor(options: PoolOptions) {
    const { counts } = options;
    this.#options = options;
    this.#epochs = Epochs.allocate(counts.reader);
    this.#queryLoad = QueryLoad.allocate(counts.reader);
    this.#memory = memoryShare(options);
    this.readers = this.#open('reader');
    this.writers = this.#open('writer');
    this.builders = this.#open('builder');
    for (const writer of this.writers) {
      for (const reader of this.readers) connect(reader, writer);
      for (const builder of this.builders) connect(builder, writer);
    }
    this.#probing = setInterval(() => void this.#probe(), PROBE_MS).unref();
  }

  /** An index is gone for good: writers started later know. */
  noteDropped(indexId: string): void {
    this.#dropped.add(indexId);
  }

  /** An index has been made of a copy. @returns true when one of this id had been dropped: its writer is to be told */
  noteMade(indexId: string): boolean {
    return this.#dropped.delete(indexId);
  }

  /** Bytes that the arenas of all indexes take together. */
  get memoryBytes(): number {
    return new FrameBudget(this.#memory, 0).used * FRAME_BYTES;
  }

  /** Lets each thread finish, builders last: writers may wait for them. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const slots of [this.readers, this.writers, this.builders])
      await Promise.all(slots.map(({ thread }) => thread.close()));
    clearInterval(this.#probing);
  }

  #open(kind: ThreadKind): readonly ThreadSlot[] {
    const load = new QueryLoad(this.#queryLoad);
    return Array.from({ length: this.#options.counts[kind] }, (_, number) => {
      const onPending = (requests: number) => (kind === 'reader' ? load.set(number, requests) : undefined);
      return new ThreadSlot({ kind, number }, this.#start({ kind, number }), onPending);
    });
  }

  #start(name: ThreadName): EngineThread {
    const { dataDir, counts, entries } = this.#options;
    const start: ThreadStart = {
      dataDir,
      counts,
      number: name.number,
      epochs: this.#epochs,
      queryLoad: this.#queryLoad,
      dropped: name.kind === 'writer' ? [...this.#dropped] : [],
      memory: this.#memory,
    };
    return new EngineThread(entries[name.kind], start, {
      onNotice: (notice) => this.#onNotice(notice),
      onDeath: (error) => this.#onDeath(name, error),
    });
  }

  #onNotice(notice: ThreadNotice): void {
    if (notice.type === 'error') this.#options.events.onReport(notice);
    else this.builders[notice.builder]?.thread.kill();
  }

  #onDeath(name: ThreadName, error: Error): void {
    if (this.#isClosing) return;
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < MINUTE_MS), now];
    if (this.#deaths.length > DEATHS_A_MINUTE_MAX) this.#options.events.onCrashLoop(error);
    else {
      this.#options.events.onRestart(name, error);
      this.#restart(name);
    }
  }

  #restart({ kind, number }: ThreadName): void {
    const slot = this.#slots(kind)[number];
    if (slot === undefined) return;
    // What the dead reader was looking at may be reused again.
    if (kind === 'reader') new Epochs(this.#epochs).unpin(number);
    if (kind === 'writer') new FrameBudget(this.#memory, number).giveAll();
    const ready = Promise.withResolvers<void>();
    slot.replace(this.#start(slot.name), ready.promise);
    const peers = kind === 'writer' ? this.readers : this.writers;
    const joined = Promise.all(peers.map((peer) => connect(peer, slot)));
    if (kind === 'writer') for (const builder of this.builders) void connect(builder, slot);
    // A new writer changes nothing before every reader has let go of the memory of the old one. Nothing else has to wait
    // for a peer, which may be long at work.
    void (kind === 'writer' ? joined : Promise.resolve()).then(() => ready.resolve());
  }

  #slots(kind: ThreadKind): readonly ThreadSlot[] {
    return { reader: this.readers, writer: this.writers, builder: this.builders }[kind];
  }

  async #probe(): Promise<void> {
    for (const slot of [...this.readers, ...this.writers]) {
      if (slot.thread.pending > 0 && (await slot.thread.isStuck())) {
        clearInterval(this.#probing);
        this.#options.events.onDeadlock(slot.name);
        return;
      }
    }
  }
}

function memoryShare({ counts, memory = { bytesMax: Number.MAX_SAFE_INTEGER } }: PoolOptions): MemoryShare {
  const { bytesMax, ...rest } = memory;
  return {
    ...rest,
    words: FrameBudget.allocate(counts.writer),
    framesMax: Math.floor(bytesMax / FRAME_BYTES),
  };
}

/** Gives two threads a channel, ahead of the start of either. Resolves when both know, or have died: their successors are connected anew. */
async function connect(one: ThreadSlot, other: ThreadSlot): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await Promise.allSettled([
    one.thread.call('join', { peer: other.name, port: port1 }, { transfer: [port1] }),
    other.thread.call('join', { peer: one.name, port: port2 }, { transfer: [port2] }),
  ]);
}
