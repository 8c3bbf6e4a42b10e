// The writes that callers ask a writer thread for. Each waits for its caller's turn and runs on its index; until it has
// ended, it is under way.
import { clockAt } from '../../../domain/expiry/time-to-live.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { WAITING_MS_MAX, waitedTooLong } from '../../../domain/waiting-time.ts';
import { liveWriter } from '../../port/live-writer.ts';
import type { VectorWriter } from '../../port/reader-and-writer.ts';
import { IDLE_REMOVAL } from '../indexing/expiry-removal.ts';
import type { OpenIndexes, ServedIndex } from './open-indexes.ts';
import { freeBody } from './packed-task.ts';
import type { TaskResult, ThreadTask } from './task.ts';
import { answerWrite, type WriterCall } from './typed-calls.ts';
import type { WriteTurns } from './write-turns.ts';
import { tellingLong, WritesUnderWay } from './writes-under-way.ts';

/** The executor of the composition, which answers tasks that write to an index. */
export type RunWriteTask = (task: ThreadTask, writer: VectorWriter) => Promise<TaskResult>;

export interface WriteRequestsParts {
  readonly indexes: OpenIndexes;
  /** Commits of the indexes take theirs here, too. */
  readonly turns: WriteTurns;
  readonly runTask: RunWriteTask;
}

export class WriteRequests {
  readonly #indexes: OpenIndexes;
  readonly #turns: WriteTurns;
  readonly #runTask: RunWriteTask;
  /** Of all kinds that make or remove namespaces. */
  readonly #underWay = new WritesUnderWay();

  constructor({ indexes, turns, runTask }: WriteRequestsParts) {
    this.#indexes = indexes;
    this.#turns = turns;
    this.#runTask = runTask;
  }

  /**
   * Runs a task, and frees its body.
   * @param onLong called when it begins a change that may take minutes
   * @throws overloaded when its turn did not come in time
   */
  async run(task: ThreadTask, onLong: () => void): Promise<unknown> {
    const { index, body } = task;
    try {
      return await this.#underWay.during(index.id, async (end) => {
        await this.#turn(index.id, task);
        return await this.#indexes.use(index, async (opened) => {
          const telling = tellingLong(opened.writer, both(end, onLong));
          const writer = liveWriter(telling, index.timeToLive, {
            clock: clockAt(),
            sources: () => opened.writer.branches.sources(),
          });
          const { answer } = await this.#runTask(task, writer);
          return answer;
        });
      });
    } finally {
      freeBody(body);
    }
  }

  /** Answers a call of the writer, as `run` does a task. */
  change(index: IndexProfile, call: WriterCall, onLong: () => void): Promise<unknown> {
    return this.#underWay.during(index.id, async (end) => {
      await this.#turn(index.id);
      const isBackground = call.method === 'removeExpired';
      if (isBackground && this.#indexes.isRemovalIdle(index.id, ...call.args)) return IDLE_REMOVAL;
      const answer = ({ writer }: ServedIndex) => answerWrite(tellingLong(writer, both(end, onLong)), call);
      return this.#indexes.use(index, answer, { isBackground });
    });
  }

  /** Does work that takes no turn, such as publishing staged namespaces: a write is under way until it has ended. */
  withoutTurn<Result>(indexId: string, work: () => Result | Promise<Result>): Promise<Result> {
    return this.#underWay.during(indexId, work);
  }

  /** Resolves when the writes of an index that are under way now have ended. */
  earlierEnded(indexId: string): Promise<void> {
    return this.#underWay.ended(indexId);
  }

  /** Carries out short writes that wait. Changes of many records may have minutes to go, and end partly done. */
  async finish(): Promise<void> {
    for (const { writer } of this.#indexes.all()) writer.stopLong();
    await this.#turns.idle();
  }

  /**
   * Waits for the turn of a caller on an index; by default the caller is the product itself.
   * @throws overloaded when that took too long
   */
  #turn(
    indexId: string,
    { caller = '', body = [] }: Partial<Pick<ThreadTask, 'caller' | 'body'>> = {},
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const bytes = body.reduce((sum, { length }) => sum + length, 0);
    this.#turns.take({ name: { indexId, caller }, bytes }, (waitedMs) =>
      waitedMs < WAITING_MS_MAX ? resolve() : reject(waitedTooLong(waitedMs)),
    );
    return promise;
  }
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}
