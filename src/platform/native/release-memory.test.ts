// Memory that every thread has dropped returns to the system soon, even when the threads are idle.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { until } from '../testing/until.ts';
import { releaseMemorySoon } from './release-memory.ts';

const MEBIBYTE = 2 ** 20;
const BYTES = 128 * MEBIBYTE;
const FRAME_BYTES = 65_536;

const HOLDER = `
  import { parentPort } from 'node:worker_threads';
  const { releaseMemorySoon } = await import(${JSON.stringify(new URL('./release-memory.ts', import.meta.url).href)});
  let held = null;
  parentPort.on('message', (message) => {
    held = message === 'forget' ? null : new Uint8Array(message.buffer);
    if (held === null) releaseMemorySoon();
    parentPort.postMessage('done');
  });`;

function residentBytes(): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1_024;
}

it('unmaps a shared memory once all threads have dropped it', {
  skip: process.platform !== 'linux',
}, async () => {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(HOLDER)}`));
  const tell = (message: unknown) =>
    new Promise((resolve) => {
      worker.once('message', resolve);
      worker.postMessage(message);
    });
  const before = residentBytes();
  await (async () => {
    const frames = BYTES / FRAME_BYTES;
    const memory = new WebAssembly.Memory({ initial: frames, maximum: frames, shared: true });
    new Uint8Array(memory.buffer).fill(1);
    await tell(memory);
  })();
  const filled = residentBytes();
  assert.ok(filled - before > 0.9 * BYTES);
  await tell('forget');
  releaseMemorySoon();
  releaseMemorySoon();
  await until(() => filled - residentBytes() > 0.9 * BYTES, 'the memory');
  await worker.terminate();
});
