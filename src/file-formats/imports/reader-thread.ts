// Entry of an import's reading thread: reads, checks and packs records ahead of the writing.
import { parentPort, workerData } from 'node:worker_threads';
import { buffersOf } from '../../engine/port/packed-records.ts';
import type { FromReader, ReaderStart, ToReader } from './messages.ts';
import { isForGood, readImport } from './read-source.ts';

const ALIVE_MS = 1_000;

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

async function read(start: ReaderStart): Promise<void> {
  let saidAt = 0;
  const onRead = () => {
    if (performance.now() - saidAt < ALIVE_MS) return;
    saidAt = performance.now();
    say({ type: 'alive' });
  };
  for await (const message of readImport(start, onRead)) {
    if (message.type === 'batch') await asked();
    say(message, message.type === 'batch' && message.records !== null ? buffersOf(message.records) : []);
  }
  await asked();
  say({ type: 'done' });
}

try {
  await read(workerData as ReaderStart);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  say({ type: 'failed', isForGood: isForGood(error), message });
}
port.close();
