// Fills the parts of a snapshot with several threads, in this process or in a new one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Snapshot } from '../../src/engine/embedded/storage/derived-files/read-header.ts';
import type { Sample } from '../../src/engine/embedded/storage/derived-files/testing/sample.ts';

const FILLER = new URL('./filler.ts', import.meta.url);
const NEW_PROCESS = fileURLToPath(new URL('./new-process.ts', import.meta.url));

/** Seconds from the request to the last answer, without starting the threads. */
export async function filledByThreads(snapshot: Snapshot, target: Sample, threads: number): Promise<number> {
  const workers = Array.from({ length: threads }, () => new Worker(FILLER));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const began = performance.now();
  const answers = workers.map((worker) => once(worker, 'message'));
  for (const [index, worker] of workers.entries())
    worker.postMessage({ snapshot, ...target, share: { index, of: threads } });
  for (const [filled] of await Promise.all(answers))
    if (!filled.usable || filled.damaged.length > 0) throw new Error(`not filled: ${JSON.stringify(filled)}`);
  const seconds = (performance.now() - began) / 1_000;
  await Promise.all(workers.map((worker) => worker.terminate()));
  return seconds;
}

/** Seconds from starting a process until its memory is filled. */
export async function secondsOfNewProcess(path: string, threads: number): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [NEW_PROCESS, path, String(threads)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const seconds = (performance.now() - began) / 1_000;
  await ended;
  return seconds;
}
