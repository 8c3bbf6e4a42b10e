// Tests windows of a mapped file: they are few, remapped only when outgrown, unmapped with the file, and unused while
// its disk is slow. The tests of the row file check their content.
import assert from 'node:assert/strict';
import { appendFileSync, closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { tempFolder } from '../../engine/embedded/testing/temp-folder.ts';
import { FileWindows } from './file-windows.ts';
import { Advice, type MappedBytes, type MemoryRange, type SystemCalls } from './system-calls.ts';

interface StandIn extends SystemCalls {
  readonly mapped: MappedBytes[];
  readonly unmapped: MappedBytes[];
  /** Ranges that were asked for. */
  readonly requested: MemoryRange[];
}

/** Fake system calls, in which a mapping is a copy of the current content. */
function standIn(): StandIn {
  const [mapped, unmapped]: MappedBytes[][] = [[], []];
  const requested: MemoryRange[] = [];
  return {
    mapped: mapped ?? [],
    unmapped: unmapped ?? [],
    requested,
    pageBytes: 4_096,
    addressOf: () => 0n,
    advise: (range, advice) => {
      if (advice === Advice.WillNeed) requested.push(range);
      return true;
    },
    mapOver: () => false,
    mapCopyOver: () => false,
    renew: () => false,
    mapFile: (fd, from, bytes) => {
      const buffer = new ArrayBuffer(bytes);
      readSync(fd, new Uint8Array(buffer), 0, bytes, from);
      const mapping = { address: 0n, bytes, buffer, unmap: () => void unmapped?.push(mapping) };
      mapped?.push(mapping);
      return mapping;
    },
  };
}

function openFile(test: TestContext, bytes: number) {
  const path = join(tempFolder(test), 'rows');
  writeFileSync(path, Buffer.alloc(bytes, 1));
  const fd = openSync(path, 'r');
  test.after(() => closeSync(fd));
  return { path, fd };
}

/** A clock that tests advance. */
function stoppedClock() {
  const clock = { ms: 0, step: 0, tell: () => (clock.ms += clock.step) };
  return clock;
}

it('maps a file at the first read, and again only when it has far outgrown its window', (test) => {
  const { path, fd } = openFile(test, 1_000);
  const calls = standIn();
  const windows = new FileWindows(fd, calls, stoppedClock().tell);
  assert.equal(calls.mapped.length, 0);
  for (let round = 0; round < 20; round++) {
    assert.ok(windows.read([{ from: round * 1_000_000, bytes: 1_000, at: 0 }], new Uint8Array(1_000)));
    appendFileSync(path, Buffer.alloc(1_000_000, 1));
  }
  assert.ok(calls.mapped.length <= 5, `${calls.mapped.length} times`);
  assert.equal(calls.unmapped.length, calls.mapped.length - 1);
  windows.close();
});

it('unmaps everything when closed, and reads nothing afterwards', (test) => {
  const { fd } = openFile(test, 1_000);
  const calls = standIn();
  const windows = new FileWindows(fd, calls);
  assert.ok(windows.read([{ from: 0, bytes: 10, at: 0 }], new Uint8Array(10)));
  windows.close();
  assert.deepEqual(calls.unmapped, calls.mapped);
  assert.equal(windows.read([{ from: 0, bytes: 10, at: 0 }], new Uint8Array(10)), false);
  assert.equal(calls.mapped.length, 1);
});

it('reads nothing beyond the end of the file, nor where the system refuses', (test) => {
  const { fd } = openFile(test, 1_000);
  const windows = new FileWindows(fd, standIn());
  assert.equal(windows.read([{ from: 991, bytes: 10, at: 0 }], new Uint8Array(10)), false);
  assert.ok(windows.read([{ from: 990, bytes: 10, at: 0 }], new Uint8Array(10)));
  windows.close();
  const refused = new FileWindows(fd, { ...standIn(), mapFile: () => null });
  assert.equal(refused.read([{ from: 0, bytes: 10, at: 0 }], new Uint8Array(10)), false);
});

it('leaves reads to system calls for a while after one that came from the disk', (test) => {
  const { fd } = openFile(test, 1_000);
  const clock = stoppedClock();
  const windows = new FileWindows(fd, standIn(), clock.tell);
  const isRead = () => windows.read([{ from: 0, bytes: 10, at: 0 }], new Uint8Array(10));
  assert.ok(isRead() && isRead());
  clock.step = 0.1;
  assert.ok(isRead());
  clock.step = 0;
  let left = 0;
  while (!isRead()) left++;
  assert.equal(left, 64);
  assert.ok(isRead());
  windows.close();
});

it('asks for all pieces of a batch at once while they come from the disk, and for none while they are in memory', (test) => {
  const { fd } = openFile(test, 100_000);
  const calls = standIn();
  const clock = stoppedClock();
  const windows = new FileWindows(fd, calls, clock.tell);
  const pieces = [8_190, 12_300, 90_000].map((from) => ({ from, bytes: 10, at: 0 }));
  const isRead = (some: typeof pieces) => windows.read(some, new Uint8Array(10));
  assert.ok(isRead(pieces));
  assert.deepEqual(calls.requested, []);
  clock.step = 0.1;
  assert.ok(isRead(pieces));
  clock.step = 0;
  assert.equal(isRead(pieces), false);
  const pages = [
    { address: 4_096n, bytes: 4_104 },
    { address: 12_288n, bytes: 22 },
    { address: 86_016n, bytes: 3_994 },
  ];
  assert.deepEqual(calls.requested.splice(0), pages);
  // One piece is read as soon as it could be asked for.
  assert.equal(isRead(pieces.slice(0, 1)), false);
  assert.deepEqual(calls.requested, []);
  while (!isRead(pieces));
  // The batch that finds memory warm again was still asked for.
  assert.deepEqual(calls.requested.splice(0).slice(-3), pages);
  assert.ok(isRead(pieces));
  assert.deepEqual(calls.requested, []);
  windows.close();
});
