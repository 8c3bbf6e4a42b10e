// A writer thread: owns the indexes assigned to it, runs tasks and typed writes on them, and notifies readers.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { toPlain } from '../../../domain/faults/plain-error.ts';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile, IndexSize } from '../../../domain/index-model.ts';
import { syncFolder } from '../../../platform/durable-files.ts';
import { releaseMemorySoon } from '../../../platform/native/release-memory.ts';
import type { Handlers } from '../../../platform/worker-channel/channel-server.ts';
import { type IndexMetrics, NO_DAMAGE } from '../../port/engine-metrics.ts';
import { unpackRecords } from '../../port/packed-records.ts';
import { ThreadBuilders } from '../indexing/builds/thread-builders.ts';
import { COLD_AFTER_SECONDS } from '../indexing/evictor.ts';
import { saveAtStop } from '../indexing/save-at-stop.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { storedDueMs } from '../storage/history/stored-due.ts';
import { bytesOnDisk, indexFolder, isOnDisk, removeFolder } from '../storage/index-files.ts';
import { forgetLastCommit } from '../storage/integrity/last-commit.ts';
import { writerOf } from './assignment.ts';
import { ColdIndexes } from './cold-indexes.ts';
import { IndexOpener, refusalToOpen } from './index-opener.ts';
import { answerChanged, changeStaging, NOTHING_CHANGED } from './index-writer-calls.ts';
import { UNBOUNDED } from './open-bounds.ts';
import { OpenIndexes, type ServedIndex } from './open-indexes.ts';
import { unpackProfile, unpackTask } from './packed-task.ts';
import type {
  AbandonRequest,
  DamageReport,
  FoundReport,
  ReaderMessage,
  SumsReport,
  ThreadName,
  ThreadStart,
  WriterMessage,
} from './protocol.ts';
import { Scrubber } from './scrubber.ts';
import type { WriterMethods } from './thread-methods.ts';
import { answerBranches, answerHistory } from './typed-calls.ts';
import { UnservedIndexes } from './unserved-indexes.ts';
import { type RunWriteTask, WriteRequests } from './write-requests.ts';
import { WriteTurns } from './write-turns.ts';

/** Interval at which other writers' requests for memory are checked. */
const YIELD_MS = 1_000;
/** Metrics of an index that was not opened since the start. */
const UNKNOWN = {
  records: null,
  memory: null,
  structure: null,
  namespacesOversized: null,
  history: null,
  branches: null,
};

export class WriterThread {
  readonly #start: ThreadStart;
  readonly #builders: ThreadBuilders;
  readonly #readers = new Map<number, MessagePort>();
  readonly #indexes: OpenIndexes;
  readonly #unserved: UnservedIndexes;
  readonly #budget: FrameBudget;
  readonly #cold: ColdIndexes;
  readonly #yielding: NodeJS.Timeout;
  readonly #scrubber: Scrubber;
  readonly #writes: WriteRequests;

  /** @param notify posts a message to the main thread */
  constructor(
    start: ThreadStart,
    runTask: RunWriteTask,
    notify: (message: AbandonRequest | DamageReport | FoundReport | SumsReport) => void,
  ) {
    this.#start = start;
    this.#builders = new ThreadBuilders(start.counts.builder, (builder) =>
      notify({ type: 'abandon', builder }),
    );
    this.#unserved = new UnservedIndexes(start.dropped, notify);
    const memory = start.memory ?? {
      words: FrameBudget.allocate(start.counts.writer),
      framesMax: Number.MAX_SAFE_INTEGER,
    };
    this.#budget = new FrameBudget(memory, start.number);
    this.#cold = new ColdIndexes({
      indexes: () => this.#indexes.all().map((index) => index.memory),
      coldAfterSeconds: start.memory?.coldAfterSeconds ?? COLD_AFTER_SECONDS,
      onLeft: (memories) => this.#forget(memories),
    });
    const turns = new WriteTurns();
    const opener = new IndexOpener({
      ...{ start, turns, notify },
      ...{ builders: this.#builders, budget: this.#budget, cold: this.#cold, unserved: this.#unserved },
      close: (id) => void this.#indexes.close(id),
    });
    this.#indexes = new OpenIndexes({
      bounds: start.open ?? UNBOUNDED,
      open: (profile, isNew) => opener.open(profile, isNew),
      check: (profile) => this.#unserved.check(profile),
      mayClose: (id) => !this.#scrubber.isReading(id),
      onLeft: (memories) => this.#forget(memories),
      historyDueMs: (id) =>
        storedDueMs(indexFolder(start.dataDir, id), {
          msMax: start.history?.msMax ?? null,
          now: Date.now(),
        }),
    });
    this.#writes = new WriteRequests({ indexes: this.#indexes, turns, runTask });
    this.#yielding = setInterval(() => {
      if (this.#budget.isWanted) this.#cold.evictColdest();
      this.#cold.leaveOld();
    }, YIELD_MS).unref();
    const { dataDir, number, counts, scrubBytesPerSecond = 0 } = start;
    this.#scrubber = new Scrubber({
      dataDir,
      bytesPerSecond: scrubBytesPerSecond,
      isOwn: (id) => writerOf(id, counts.writer) === number && !this.#unserved.isClosed(id),
      filesOf: (id) => this.#indexes.get(id)?.files,
      onDamage: (id, damage) => opener.noteDamage(id, damage),
      onRecordDamage: (indexId, damage) => notify({ type: 'damage', indexId, kind: 'record', damage }),
    });
  }

  /** The handlers of calls to this thread. */
  handlers(): Handlers<WriterMethods> {
    return {
      run: (packed, served) => this.#writes.run(unpackTask(packed), () => served.note('long')),
      change: ({ profile, call }, served) =>
        this.#writes.change(unpackProfile(profile), call, () => served.note('long')),
      earlierWrites: async (indexId) => {
        await this.#writes.earlierEnded(indexId);
        return null;
      },
      create: (profile) => this.#indexes.use(profile, () => null, { isNew: true }),
      drop: (indexId) => this.#drop(indexId),
      admit: (indexId) => {
        this.#unserved.admit(indexId);
        this.#indexes.forget(indexId);
        return null;
      },
      reshape: (profile) => {
        this.#indexes.reshape(profile);
        return null;
      },
      watch: (profiles) => {
        this.#indexes.watch(profiles);
        return null;
      },
      size: (profile) => this.#size(profile),
      metrics: (indexIds) => ({
        indexes: this.#metrics(indexIds),
        open: this.#indexes.figures,
        jobs: this.#builders.jobs,
      }),
      hold: ({ profile, hold }) =>
        this.#existing(profile, (writer) => {
          writer.pinSnapshot(hold);
          return null;
        }),
      write: ({ profile, namespace, records }) =>
        this.#indexes.use(profile, ({ writer }) => writer.bulk.store(namespace, unpackRecords(records))),
      replay: ({ profile, ...changes }) =>
        this.#existing(profile, async (writer) => {
          await writer.bulk.replay(changes);
          return null;
        }),
      staging: ({ profile, change }) =>
        this.#writes.withoutTurn(profile.id, () =>
          this.#existing(profile, (writer) => changeStaging(writer, change)),
        ),
      changed: ({ profile, call }) =>
        call.kind === 'forget' && !this.#isThere(profile.id)
          ? NOTHING_CHANGED
          : this.#existing(profile, (writer) => answerChanged(writer, call)),
      history: ({ profile, call }) => {
        const answer = () => this.#indexes.use(profile, ({ writer }) => answerHistory(writer.history, call));
        return call.method === 'rollBack' ? this.#writes.withoutTurn(profile.id, answer) : answer();
      },
      branches: ({ profile, call }) => {
        const answer = () => this.#existing(profile, (writer) => answerBranches(writer.branches, call));
        return call.method === 'create' ? this.#writes.withoutTurn(profile.id, answer) : answer();
      },
      save: async ({ msMax }) => {
        const signal = AbortSignal.timeout(msMax);
        await this.#writes.finish();
        await saveAtStop(this.#indexes.all(), signal);
        return null;
      },
      join: ({ peer, port }) => this.#join(peer, port),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#yielding);
    await this.#scrubber.close();
    await this.#writes.finish();
    await this.#indexes.closeAll();
    this.#builders.close();
    for (const port of this.#readers.values()) port.close();
  }

  #join({ kind, number }: ThreadName, port: MessagePort): null {
    if (kind === 'builder') {
      this.#builders.connect(number, port);
      return null;
    }
    this.#readers.get(number)?.close();
    this.#readers.set(number, port);
    port.on('message', (message: ReaderMessage) => this.#onReader(port, message));
    port.on('close', () => this.#indexes.left(port));
    return null;
  }

  /** Uses an index for calls that must not create it, since a copy may be about to. */
  async #existing<Result>(
    profile: IndexProfile,
    work: (writer: ServedIndex['writer']) => Result | Promise<Result>,
  ): Promise<Result> {
    if (!this.#isThere(profile.id)) throw fault('index-not-found', { name: profile.name });
    return this.#indexes.use(profile, ({ writer }) => work(writer));
  }

  /** @throws storage-full where this user may not see it */
  #isThere(indexId: string): boolean {
    if (this.#indexes.get(indexId) !== undefined) return true;
    try {
      return isOnDisk(indexFolder(this.#start.dataDir, indexId));
    } catch (error) {
      throw refusalToOpen(error, indexId);
    }
  }

  async #drop(indexId: string): Promise<null> {
    this.#unserved.noteDropped(indexId);
    await this.#indexes.close(indexId);
    this.#indexes.forget(indexId);
    const folder = indexFolder(this.#start.dataDir, indexId);
    removeFolder(folder);
    // Before the catalog forgets the index: a power loss would bring its folder back, and an adoption its records.
    if (existsSync(dirname(folder))) syncFolder(dirname(folder));
    forgetLastCommit(folder);
    return null;
  }

  async #size(profile: IndexProfile): Promise<IndexSize> {
    if (!this.#isThere(profile.id)) return { records: 0, bytes: 0 };
    const measure = ({ files, writer }: ServedIndex) => ({
      records: files.store.namespaces.recordTotal(),
      branches: writer.branches.figures(),
    });
    const { records, branches } =
      this.#indexes.closed(profile.id) ?? (await this.#indexes.use(profile, measure, { isBackground: true }));
    const { sharedRecords = 0, sharedBytes = 0 } = branches ?? {};
    const bytes = bytesOnDisk(indexFolder(this.#start.dataDir, profile.id));
    return {
      ...{ records, bytes },
      ...(sharedRecords > 0 && { shared: { records: sharedRecords, bytes: sharedBytes } }),
    };
  }

  /** Metrics of indexes. Those not opened yet report only the sizes of their files; dropped ones are left out. */
  #metrics(indexIds: readonly string[]): readonly IndexMetrics[] {
    return indexIds.flatMap((indexId) => {
      if (this.#unserved.isDropped(indexId)) return [];
      const bytes = bytesOnDisk(indexFolder(this.#start.dataDir, indexId));
      const figures = this.#indexes.get(indexId)?.figures() ?? closedFigures(this.#indexes.closed(indexId));
      const scrub = this.#scrubber.progressOf(indexId);
      return [{ indexId, bytesOnDisk: bytes, ...figures, scrub, damage: NO_DAMAGE }];
    });
  }

  /** Releases memories that this thread no longer uses. */
  #forget(memories: readonly WebAssembly.Memory[]): void {
    for (const memory of memories) this.#builders.forget(memory);
    releaseMemorySoon();
  }

  #onReader(port: MessagePort, message: ReaderMessage): void {
    switch (message.type) {
      case 'load': {
        const { indexId, namespaceId, filterable, recordCount } = message;
        this.#indexes.get(indexId)?.loaded.load(namespaceId, filterable, recordCount);
        break;
      }
      case 'released':
      case 'kept':
        this.#indexes.answered(port, message);
        break;
      case 'attach':
        void this.#attach(message.profile, port);
        break;
    }
  }

  async #attach(profile: IndexProfile, port: MessagePort): Promise<void> {
    const indexId = profile.id;
    try {
      await this.#indexes.use(profile, (index) => {
        index.readers.add(port);
        const answer: WriterMessage = { type: 'attached', indexId, attachment: index.attachment() };
        port.postMessage(answer);
      });
    } catch (error) {
      port.postMessage({ type: 'refused', indexId, error: toPlain(error) } satisfies WriterMessage);
    }
  }
}

function closedFigures(closed: ReturnType<OpenIndexes['closed']>): Pick<IndexMetrics, keyof typeof UNKNOWN> {
  if (closed === undefined) return UNKNOWN;
  const { records, history, branches } = closed;
  return { ...UNKNOWN, records, history, branches };
}
