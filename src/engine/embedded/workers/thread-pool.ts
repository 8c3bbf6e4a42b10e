// The engine threads of a process: starts, connects and replaces them.
import { MessageChannel } from 'node:worker_threads';
import type { MemoryProfile } from '../../../domain/memory-profile.ts';
import type { CloseOptions, MemoryFigures } from '../../port/vector-store.ts';
import { QueryLoad } from '../indexing/builds/build-pause.ts';
import type { HistoryBounds } from '../indexing/history/history-keeper.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { DroppedIndexes } from './dropped-indexes.ts';
import { EngineThread } from './engine-thread.ts';
import type { OpenBounds } from './open-bounds.ts';
import type {
  DamageReport,
  FoundReport,
  MemoryShare,
  SumsReport,
  ThreadCounts,
  ThreadKind,
  ThreadName,
  ThreadNotice,
  ThreadReport,
  ThreadStart,
} from './protocol.ts';
import { ThreadSlot } from './thread-slot.ts';

export interface PoolEvents {
  /** Called when a request has failed with a plain 500. */
  readonly onReport: (report: ThreadReport) => void;
  /** Called when files of an index are found damaged. */
  readonly onDamage: (report: DamageReport) => void;
  /** Called when an index that was reported as missing has files. Default: nobody hears of it. */
  readonly onFound?: (report: FoundReport) => void;
  /** Called when records of 0.1.0 have got their checksums. Default: nobody hears of it. */
  readonly onSumsAdded?: (report: SumsReport) => void;
  /** Called when a thread has died and is being replaced. */
  readonly onRestart: (thread: ThreadName, error: Error) => void;
  /** Called when threads die too often, so that the process should end. */
  readonly onCrashLoop: (error: Error) => void;
  /**
   * Called when a thread has ended holding locks. The process must be killed, since `process.exit` would never
   * return.
   */
  readonly onDeadlock: (thread: ThreadName) => void;
}

export interface PoolOptions {
  readonly dataDir: string;
  readonly counts: ThreadCounts;
  readonly entries: Readonly<Record<ThreadKind, URL>>;
  readonly events: PoolEvents;
  /** Bytes of all indexes that are read each second to find damage; default none. */
  readonly scrubBytesPerSecond?: number;
  /** How much of the past indexes keep; default none. */
  readonly history?: HistoryBounds | null;
  /** Of indexes that have none of their own; default `memory`. */
  readonly memoryProfile?: MemoryProfile;
  /** How many indexes stay open, over all writers; default all. */
  readonly open?: OpenBounds;
  /** Memory is unbounded by default. */
  readonly memory?: {
    /** Maximum bytes of the arenas of all indexes together. */
    readonly bytesMax: number;
    /** Default COLD_AFTER_SECONDS. */
    readonly coldAfterSeconds?: number;
  };
}

/** Threads that die more often than this will not be cured by further restarts. */
export const DEATHS_A_MINUTE_MAX = 10;
const MINUTE_MS = 60_000;
/** Interval of probes of threads with pending requests. */
const PROBE_MS = 1_000;

export class ThreadPool {
  readonly readers: readonly ThreadSlot[];
  readonly writers: readonly ThreadSlot[];
  readonly builders: readonly ThreadSlot[];
  /** Writers that start later hear of them. */
  readonly dropped = new DroppedIndexes();
  readonly #options: PoolOptions;
  readonly #epochs: SharedArrayBuffer;
  readonly #queryLoad: SharedArrayBuffer;
  readonly #memory: MemoryShare;
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

  /** Of the arenas of all indexes together. */
  get memory(): MemoryFigures {
    const { used, framesMax } = new FrameBudget(this.#memory, 0);
    return { bytesMax: framesMax * FRAME_BYTES, bytesUsed: used * FRAME_BYTES };
  }

  /** Lets each thread finish; builders last, since writers may wait for them. */
  async close({ saveMsMax = 0 }: CloseOptions = {}): Promise<void> {
    this.#isClosing = true;
    const saveUntil = performance.now() + saveMsMax;
    await closeAll(this.readers);
    await this.#saveUntil(saveUntil);
    await closeAll(this.writers);
    await closeAll(this.builders);
    clearInterval(this.#probing);
  }

  /** Has the writers save what the next start would have to derive anew. @param until in time of performance.now() */
  async #saveUntil(until: number): Promise<void> {
    const msMax = Math.floor(until - performance.now());
    // A writer that has died is not replaced any more.
    if (msMax > 0) await Promise.allSettled(this.writers.map(({ thread }) => thread.call('save', { msMax })));
  }

  #open(kind: ThreadKind): readonly ThreadSlot[] {
    const load = new QueryLoad(this.#queryLoad);
    return Array.from({ length: this.#options.counts[kind] }, (_, number) => {
      const onPending = (requests: number) => (kind === 'reader' ? load.set(number, requests) : undefined);
      return new ThreadSlot({ kind, number }, this.#start({ kind, number }), onPending);
    });
  }

  #start(name: ThreadName): EngineThread {
    const { dataDir, counts, entries, open } = this.#options;
    const start: ThreadStart = {
      dataDir,
      counts,
      number: name.number,
      epochs: this.#epochs,
      queryLoad: this.#queryLoad,
      dropped: name.kind === 'writer' ? this.dropped.ids() : [],
      memory: this.#memory,
      history: this.#options.history ?? null,
      memoryProfile: this.#options.memoryProfile ?? 'memory',
      ...(open !== undefined && {
        open: { ...open, indexesMax: Math.ceil(open.indexesMax / counts.writer) },
      }),
      scrubBytesPerSecond: (this.#options.scrubBytesPerSecond ?? 0) / counts.writer,
    };
    return new EngineThread(entries[name.kind], start, {
      onNotice: (notice) => this.#onNotice(notice),
      onDeath: (error) => this.#onDeath(name, error),
    });
  }

  #onNotice(notice: ThreadNotice): void {
    if (notice.type === 'error') this.#options.events.onReport(notice);
    else if (notice.type === 'damage') this.#options.events.onDamage(notice);
    else if (notice.type === 'found') this.#options.events.onFound?.(notice);
    else if (notice.type === 'sums-added') this.#options.events.onSumsAdded?.(notice);
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
    // What the dead reader had pinned may be reused.
    if (kind === 'reader') new Epochs(this.#epochs).forget(number);
    if (kind === 'writer') new FrameBudget(this.#memory, number).giveAll();
    const ready = Promise.withResolvers<void>();
    slot.replace(this.#start(slot.name), ready.promise);
    const peers = kind === 'writer' ? this.readers : this.writers;
    const joined = Promise.all(peers.map((peer) => connect(peer, slot)));
    if (kind === 'writer') for (const builder of this.builders) void connect(builder, slot);
    // A new writer must not change anything before every reader has released the memory of the old one. Other threads
    // need not wait for their peers, which may be busy for long.
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

async function closeAll(slots: readonly ThreadSlot[]): Promise<void> {
  await Promise.all(slots.map(({ thread }) => thread.close()));
}

function memoryShare({ counts, memory = { bytesMax: Number.MAX_SAFE_INTEGER } }: PoolOptions): MemoryShare {
  const { bytesMax, ...rest } = memory;
  return {
    ...rest,
    words: FrameBudget.allocate(counts.writer),
    framesMax: Math.floor(bytesMax / FRAME_BYTES),
  };
}

/**
 * Connects two threads by a channel, even before they have started. Resolves when both are connected or have died, in
 * which case their replacements are connected again.
 */
async function connect(one: ThreadSlot, other: ThreadSlot): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await Promise.allSettled([
    one.thread.call('join', { peer: other.name, port: port1 }, { transfer: [port1] }),
    other.thread.call('join', { peer: one.name, port: port2 }, { transfer: [port2] }),
  ]);
}
