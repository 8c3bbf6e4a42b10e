// Work cut into shares, one thread each.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface Share<Task> {
  readonly task: Task;
  readonly share: number;
  readonly shares: number;
}

/** Runs a script in a thread per core, each on its share of a task. @returns what each answered */
export async function runShares<Task, Answer>(script: URL, task: Task): Promise<readonly Answer[]> {
  const shares = availableParallelism();
  const answers = Array.from({ length: shares }, async (_, share) => {
    const worker = new Worker(script, { workerData: { task, share, shares } satisfies Share<Task> });
    const [answer] = (await once(worker, 'message')) as [Answer];
    await worker.terminate();
    return answer;
  });
  return Promise.all(answers);
}

/** Called once by such a script. */
export function doShare<Task, Answer>(work: (share: Share<Task>) => Answer): void {
  parentPort?.postMessage(work(workerData as Share<Task>));
}
