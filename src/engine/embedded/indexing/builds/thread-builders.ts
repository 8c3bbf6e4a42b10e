// The builder threads as a writer thread sees them: a queue of jobs, each of which goes to the least busy builder.
import type { MessagePort } from 'node:worker_threads';
import { Channel } from '../../../../platform/worker-channel/channel.ts';
import { portEndpoint } from '../../../../platform/worker-channel/endpoint.ts';
import type { BuildScratch } from './build-scratch.ts';
import type { BuildAnswer, Builders, BuildJob } from './builders.ts';
import { BUILDER_CODEC, type BuilderMethods, type ForgetNotice, type JobAnswer } from './protocol.ts';

/** One that runs and one that waits, since the writer may be busy with a commit when the first ends. */
const JOBS_AT_A_BUILDER_MAX = 2;
/** Time for jobs on a broken graph to end, unless they wait for a node that a dead thread has locked. */
const GRACE_MS = 1_000;

interface Task {
  readonly memory: WebAssembly.Memory;
  readonly job: BuildJob;
  readonly settle: PromiseWithResolvers<BuildAnswer>;
  /** True when a builder died while it worked on the same graph. */
  isDoomed: boolean;
}

interface Link {
  readonly number: number;
  readonly port: MessagePort;
  readonly channel: Channel<BuilderMethods, never, ForgetNotice>;
  readonly tasks: Set<Task>;
  readonly introduced: Set<number>;
}

export class ThreadBuilders implements Builders {
  readonly count: number;
  readonly #abandon: (builder: number) => void;
  readonly #links = new Map<number, Link>();
  readonly #memoryIds = new WeakMap<WebAssembly.Memory, number>();
  /** Memory, builder -> scratch; outlives the builder. */
  readonly #scratch = new Map<number, Map<number, BuildScratch>>();
  #waiting: Task[] = [];
  #lastId = 0;

  /** @param abandon ends a builder thread that hangs on a broken graph; another one replaces it */
  constructor(count: number, abandon: (builder: number) => void) {
    this.count = count;
    this.#abandon = abandon;
  }

  /** Number of jobs of each builder, by its number; the first one's includes those that wait for any builder. */
  get jobs(): readonly number[] {
    const jobs = Array.from({ length: this.count }, (_, number) => this.#links.get(number)?.tasks.size ?? 0);
    return jobs.map((count, number) => (number === 0 ? count + this.#waiting.length : count));
  }

  /** Connects a builder thread, or the successor of a dead one. */
  connect(number: number, port: MessagePort): void {
    this.#links.get(number)?.port.close();
    const channel = new Channel<BuilderMethods, never, ForgetNotice>(portEndpoint(port), {
      name: 'a builder thread',
      codec: BUILDER_CODEC,
      onEnd: () => this.#onEnd(link),
    });
    const link: Link = { number, port, channel, tasks: new Set(), introduced: new Set() };
    this.#links.set(number, link);
    this.#dispatch();
  }

  run(memory: WebAssembly.Memory, job: BuildJob): Promise<BuildAnswer> {
    const settle = Promise.withResolvers<BuildAnswer>();
    this.#waiting.push({ memory, job, settle, isDoomed: false });
    this.#dispatch();
    return settle.promise;
  }

  /** The index of this memory has gone; all its jobs have settled. */
  forget(memory: WebAssembly.Memory): void {
    const memoryId = this.#memoryIds.get(memory);
    if (memoryId === undefined) return;
    this.#scratch.delete(memoryId);
    for (const { channel, introduced } of this.#links.values())
      if (introduced.delete(memoryId)) channel.notify(memoryId);
  }

  close(): void {
    for (const { port } of this.#links.values()) port.close();
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const link = this.#leastBusy();
      const task = link && this.#waiting.shift();
      if (link === undefined || task === undefined) return;
      this.#send(link, task);
    }
  }

  #leastBusy(): Link | undefined {
    // The first of equals: builders of low numbers are the first to use a free core.
    const [best] = [...this.#links.values()].sort(
      (a, b) => a.tasks.size - b.tasks.size || a.number - b.number,
    );
    return best !== undefined && best.tasks.size < JOBS_AT_A_BUILDER_MAX ? best : undefined;
  }

  #send(link: Link, task: Task): void {
    const { memory, job } = task;
    const memoryId = this.#idOf(memory);
    const scratch = this.#scratch.get(memoryId)?.get(link.number) ?? null;
    const introduction = link.introduced.has(memoryId) ? null : { memory, scratch };
    link.introduced.add(memoryId);
    link.tasks.add(task);
    link.channel.call('run', { memoryId, introduction, job }).then(
      (answer) => this.#onAnswer(link, task, answer),
      (error: unknown) => this.#onRefusal(link, task, error),
    );
  }

  #idOf(memory: WebAssembly.Memory): number {
    const known = this.#memoryIds.get(memory);
    if (known !== undefined) return known;
    const id = ++this.#lastId;
    this.#memoryIds.set(memory, id);
    this.#scratch.set(id, new Map());
    return id;
  }

  #onAnswer(link: Link, task: Task, { scratch, ...answer }: JobAnswer): void {
    if (!link.tasks.delete(task)) return;
    this.#scratch.get(this.#idOf(task.memory))?.set(link.number, scratch);
    if (task.isDoomed) task.settle.reject(brokenGraph());
    else task.settle.resolve(answer);
    this.#dispatch();
  }

  /** Nothing was changed; after the builder's end, `#onEnd` has rejected the task. */
  #onRefusal(link: Link, task: Task, error: unknown): void {
    if (!link.tasks.delete(task)) return;
    task.settle.reject(task.isDoomed ? brokenGraph() : error);
    this.#dispatch();
  }

  /** The builder has ended. Its jobs fail, and so do all other jobs on the graphs that it was working on. */
  #onEnd(link: Link): void {
    if (this.#links.get(link.number) === link) this.#links.delete(link.number);
    const lost = [...link.tasks];
    link.tasks.clear();
    const isBroken = (task: Task) =>
      lost.some(({ memory, job }) => task.memory === memory && task.job.graph === job.graph);
    const broken = this.#waiting.filter(isBroken);
    this.#waiting = this.#waiting.filter((task) => !isBroken(task));
    for (const other of this.#links.values()) this.#doom(other, isBroken);
    for (const { settle } of [...lost, ...broken]) settle.reject(brokenGraph());
  }

  #doom(link: Link, isBroken: (task: Task) => boolean): void {
    const doomed = [...link.tasks].filter(isBroken);
    if (doomed.length === 0) return;
    for (const task of doomed) task.isDoomed = true;
    setTimeout(() => {
      if (doomed.some((task) => link.tasks.has(task))) this.#abandon(link.number);
    }, GRACE_MS).unref();
  }
}

function brokenGraph(): Error {
  return new Error('a builder thread ended in the middle of a change to this graph');
}
