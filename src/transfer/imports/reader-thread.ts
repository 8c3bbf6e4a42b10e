// Entry of an import's reading thread: reads, checks and packs records ahead of the writing.
import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '../../vectors/packed-records.ts';
import { openSource } from '../sources/open-source.ts';
import { SourceProblem } from '../sources/source.ts';
import type { FromReader, ImportPlace, ReaderStart, ToReader } from './messages.ts';
import { isForGood, planSource, readSource } from './read-source.ts';

const ALIVE_MS = 1_000;
const START: ImportPlace = { file: 0, row: 0, byte: 0 };

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');

let wanted = 0;
let wake: (() => void) | undefined;
port.on('message', (_: ToReader) => {
  wanted++;
  wake?.();
});

function say(message: FromReader, move: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, [...move]);
}

/** Resolves when the serving thread wants one more batch. */
async function asked(): Promise<void> {
  while (wanted === 0) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  wanted--;
}

async function read({ uri, rules, shape, from }: ReaderStart): Promise<void> {
  const source = await openSource(uri, rules);
  try {
    const plan = await planSource(source);
    if (from !== null && from.planDigest !== plan.digest) {
      throw new SourceProblem('Files have come, gone or changed since the import was started.');
    }
    const namespaces = [...new Set(plan.files.map(({ namespace }) => namespace))];
    say({ type: 'plan', planDigest: plan.digest, namespaces });
    let saidAt = 0;
    const onRead = () => {
      if (performance.now() - saidAt < ALIVE_MS) return;
      saidAt = performance.now();
      say({ type: 'alive' });
    };
    for await (const batch of readSource(source, plan, { shape, place: from?.place ?? START, onRead })) {
      await asked();
      say(batch, batch.records === null ? [] : buffersOf(batch.records));
    }
    await asked();
    say({ type: 'done' });
  } finally {
    await source.close();
  }
}

try {
  await read(workerData as ReaderStart);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  say({ type: 'failed', isForGood: isForGood(error), message });
}
port.close();
