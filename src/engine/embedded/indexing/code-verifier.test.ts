// Files whose codes are mapped are verified one at a time, and nobody waits longer than they want to.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../../platform/testing/until.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { MappedPart } from '../storage/derived-files/mapped-part.ts';
import { dataStart } from '../storage/derived-files/preamble.ts';
import type { Snapshot } from '../storage/derived-files/read-header.ts';
import { SnapshotFile } from '../storage/derived-files/snapshot-file.ts';
import { breakOpenings } from '../storage/derived-files/testing/faulty-disk.ts';
import { sample, usable } from '../storage/derived-files/testing/sample.ts';
import { writeSnapshot } from '../storage/derived-files/write-snapshot.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { CodeVerifier } from './code-verifier.ts';

const NEVER = new AbortController().signal;
const CHUNK_BYTES = 8_192;
const FRAMES = 2;
const CHUNKS_A_FRAME = FRAME_BYTES / CHUNK_BYTES;
const CHUNKS = FRAMES * CHUNKS_A_FRAME;

/** Files with codes. */
async function written(test: TestContext, count: number, frames = [FRAMES]): Promise<readonly Snapshot[]> {
  const folder = tempFolder(test);
  const files: Snapshot[] = [];
  for (let seed = 0; seed < count; seed++) {
    const path = join(folder, `1.${seed}.segment`);
    const parts = sample([{ name: 'codes', count: frames[seed] ?? FRAMES, bytesEach: FRAME_BYTES }], seed);
    await writeSnapshot(path, { ...parts, header: {} }, { chunkBytes: CHUNK_BYTES });
    files.push(usable(path));
  }
  return files;
}

/** Changes a bit of the last code. */
function damage({ path }: Snapshot): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** Notes which chunks are read, by their number in the file; tells the one who verifies to stop at one of these reads. */
function countReads(test: TestContext, stopAt: number) {
  const read: number[] = [];
  const stop = new AbortController();
  const { readAside } = SnapshotFile.prototype;
  test.mock.method(
    SnapshotFile.prototype,
    'readAside',
    function (this: SnapshotFile, into: Uint8Array, position: number) {
      read.push((position - dataStart(this.preamble)) / CHUNK_BYTES);
      if (read.length === stopAt) stop.abort(new Error('gone'));
      return readAside.call(this, into, position);
    },
  );
  return { read, stop: stop.signal };
}

/** Lets verifications end when they are told to; counts files that are open for them. */
function control(test: TestContext) {
  const verified: (() => void)[] = [];
  let open = 0;
  const { open: openPart } = MappedPart;
  test.mock.method(MappedPart, 'open', (...args: Parameters<typeof openPart>) => {
    open++;
    return openPart.apply(MappedPart, args);
  });
  const { close } = MappedPart.prototype;
  test.mock.method(MappedPart.prototype, 'close', function (this: MappedPart) {
    open--;
    close.call(this);
  });
  test.mock.method(MappedPart.prototype, 'isWhole', async (signal: AbortSignal) => {
    await new Promise<void>((resolve) => verified.push(resolve));
    signal.throwIfAborted();
    return true;
  });
  return { verified, openFiles: () => open };
}

it('verifies files of one size one at a time, in the order in which they were asked for, and has no other open', async (test) => {
  const files = await written(test, 3);
  const { verified, openFiles } = control(test);
  const verifier = new CodeVerifier();
  const ended: number[] = [];
  const all = files.map(async (file, at) => {
    assert.equal(await verifier.verify(file, NEVER), 'whole');
    ended.push(at);
  });
  for (const at of files.keys()) {
    await until(() => verified.length === at + 1, 'the next verification');
    await setImmediate();
    assert.equal(verified.length, at + 1);
    assert.equal(openFiles(), 1);
    verified[at]?.();
  }
  await Promise.all(all);
  assert.deepEqual(ended, [0, 1, 2]);
  assert.equal(openFiles(), 0);
});

it('verifies what has least left first of the files that wait', async (test) => {
  const files = await written(test, 5, [1, 3, 2, 1, 3]);
  const verifier = new CodeVerifier();
  const last = files.at(-1);
  assert.ok(last !== undefined);
  // All but what is read ahead, which is less than a frame.
  const { stop } = countReads(test, 3 * CHUNKS_A_FRAME);
  await assert.rejects(verifier.verify(last, stop), /gone/);
  const ended: number[] = [];
  await Promise.all(
    files.map(async (file, at) => {
      assert.equal(await verifier.verify(file, NEVER), 'whole');
      ended.push(at);
    }),
  );
  assert.deepEqual(ended, [0, 4, 3, 2, 1]);
});

it('lets who waits leave at once, and the next one take its turn after one that was stopped', async (test) => {
  const [first, second, third] = await written(test, 3);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const { verified, openFiles } = control(test);
  const verifier = new CodeVerifier();
  const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
  const stopped = [
    assert.rejects(verifier.verify(first, stopFirst.signal), /gone/),
    assert.rejects(verifier.verify(second, stopSecond.signal), /gone/),
  ];
  const last = verifier.verify(third, NEVER);
  stopSecond.abort(new Error('gone'));
  await stopped[1];
  assert.equal(verified.length, 1);
  stopFirst.abort(new Error('gone'));
  verified[0]?.();
  await stopped[0];
  await until(() => verified.length === 2, 'the third');
  verified[1]?.();
  assert.equal(await last, 'whole');
  assert.equal(openFiles(), 0);
  await assert.rejects(verifier.verify(first, AbortSignal.abort(new Error('gone'))), /gone/);
});

it('tells damaged files from those that were removed or replaced meanwhile, and goes on with others', async (test) => {
  const [first, second, third, ...others] = await written(test, 5);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  damage(first);
  rmSync(second.path);
  renameSync(others[0]?.path ?? '', third.path);
  const verifier = new CodeVerifier();
  const files = [first, second, third, ...others.slice(1)];
  assert.deepEqual(await Promise.all(files.map((file) => verifier.verify(file, NEVER))), [
    'damaged',
    'gone',
    'gone',
    'whole',
  ]);
});

it('waits for a file that cannot be opened while too many files are open', async (test) => {
  const [file] = await written(test, 1);
  assert.ok(file !== undefined);
  const mend = breakOpenings('EMFILE', 1);
  const verifying = new CodeVerifier().verify(file, NEVER);
  await setImmediate();
  mend();
  assert.equal(await verifying, 'whole');
});

it('goes on where it was stopped, and reads what is whole no more', async (test) => {
  const [file, other] = await written(test, 2);
  assert.ok(file !== undefined && other !== undefined);
  const { read, stop } = countReads(test, 6);
  const verifier = new CodeVerifier();
  await assert.rejects(verifier.verify(file, stop), /gone/);
  const before = read.splice(0).length;
  assert.ok(before < CHUNKS, `${before} chunks`);
  assert.equal(await verifier.verify(file, NEVER), 'whole');
  const after = read.splice(0);
  assert.equal(after.at(-1), CHUNKS - 1);
  // At most those that had been read ahead, and one that was not noted yet, are read again.
  assert.ok(before + after.length <= CHUNKS + 5, `${before} and ${after.length} chunks`);
  assert.equal(await verifier.verify(file, NEVER), 'whole');
  assert.deepEqual(read, []);
  assert.equal(await verifier.verify(other, NEVER), 'whole');
  assert.equal(read.length, CHUNKS);
});

it('finds the damage of a file each time that it is asked', async (test) => {
  const [file] = await written(test, 1);
  assert.ok(file !== undefined);
  damage(file);
  const verifier = new CodeVerifier();
  for (let round = 0; round < 2; round++) assert.equal(await verifier.verify(file, NEVER), 'damaged');
});
