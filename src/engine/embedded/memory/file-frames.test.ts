// Frames in a file: memory like any other, which the budget does not count and the system may drop.
import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Advice, type SystemCalls, systemCalls } from '../../../platform/native/system-calls.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { Allocator, ArenaFull } from './allocator.ts';
import { Arena, FRAME_BYTES } from './arena.ts';
import { Epochs } from './epochs.ts';
import { FileFrames } from './file-frames.ts';
import { FrameBudget } from './frame-budget.ts';

const FRAMES_MAX = 1_024;

interface Options {
  readonly framesMax?: number;
  readonly budget?: number;
  readonly now?: () => number;
  readonly calls?: SystemCalls | null;
}

function open(folder: string, options: Options = {}) {
  const { framesMax = FRAMES_MAX, now, calls = systemCalls() } = options;
  const arena = Arena.create(framesMax);
  const file = FileFrames.of(arena, { folder, framesMax, ...(now !== undefined && { now }) }, calls);
  const epochs = new Epochs(Epochs.allocate(0));
  const budget = FrameBudget.of(options.budget ?? FRAMES_MAX);
  const allocator = new Allocator(arena, { epochs, budget, framesMax, framesTaken: arena.frames });
  allocator.file = file;
  return { arena, file, allocator, budget };
}

const isExpected = systemCalls() !== null;
const skip = !isExpected && 'this system maps no files';

it('keeps what is written to frames in a file, also when the system has dropped it from memory, as the arena grows', (test) => {
  const { arena, allocator, file } = open(tempFolder(test));
  const frames = Array.from({ length: 40 }, () => allocator.frameInFile());
  assert.equal(new Set(frames).size, frames.length);
  for (const [at, frame] of frames.entries())
    arena.bytes(frame + FRAME_BYTES).fill(at + 1, frame, frame + FRAME_BYTES);
  // Growing changes the protection of the whole memory.
  const others = Array.from({ length: 20 }, () => allocator.frame());
  for (const frame of others) arena.bytes(frame + FRAME_BYTES).fill(200, frame, frame + FRAME_BYTES);
  const calls = systemCalls();
  const end = Math.max(...frames, ...others) + FRAME_BYTES;
  for (const frame of frames)
    calls?.advise(
      { address: calls.addressOf(arena.bufferOf(end)) + BigInt(frame), bytes: FRAME_BYTES },
      Advice.PageOut,
    );
  for (const [at, frame] of frames.entries()) {
    const bytes = arena.bytes(end).subarray(frame, frame + FRAME_BYTES);
    assert.ok(bytes.every((byte) => byte === at + 1));
  }
  for (const frame of others)
    assert.ok(
      arena
        .bytes(end)
        .subarray(frame, frame + FRAME_BYTES)
        .every((byte) => byte === 200),
    );
  assert.equal(
    frames.every((frame) => allocator.file?.has(frame) ?? false),
    isExpected,
  );
  assert.ok(!others.some((frame) => allocator.file?.has(frame) ?? false));
  file?.close();
});

it('counts no frame in a file towards the memory limit, but all others', (test) => {
  const { allocator, budget, file } = open(tempFolder(test));
  const before = budget.used;
  for (let at = 0; at < 100; at++) allocator.frameInFile();
  allocator.counted.update();
  if (isExpected) assert.equal(budget.used, before);
  allocator.frame();
  assert.ok(budget.used > before);
  file?.close();
});

it('gives frames of a file to those that ask for such, and no others', (test) => {
  const { allocator, file } = open(tempFolder(test));
  const first = Array.from({ length: 30 }, () => allocator.frameInFile());
  allocator.retire(first, []);
  const others = Array.from({ length: 60 }, () => allocator.frame());
  assert.ok(!others.some((frame) => allocator.file?.has(frame) ?? false));
  const again = new Set(Array.from({ length: 30 }, () => allocator.frameInFile()));
  if (isExpected) assert.ok(first.every((frame) => again.has(frame)));
  file?.close();
});

/** Allocates until the arena is full. @returns the frames */
function takeAll(allocator: Allocator): readonly number[] {
  const frames: number[] = [];
  assert.throws(() => {
    for (;;) frames.push(allocator.frameInFile());
  }, ArenaFull);
  return frames;
}

/** Systems on which the file gets no frame, and why. */
const WITHOUT_FILE: readonly (readonly [
  string,
  (folder: string) => readonly [string, SystemCalls | null],
])[] = [
  ['the disk has no room for the file', (folder) => [join(folder, 'missing'), systemCalls()]],
  [
    'the system refuses to map it',
    (folder) => {
      const calls = systemCalls();
      return [folder, calls && { ...calls, mapOver: () => false }];
    },
  ],
];

for (const [reason, systemOf] of WITHOUT_FILE) {
  it(`takes no more memory than the frames it gives out where ${reason}`, (test) => {
    const [folder, calls] = systemOf(tempFolder(test));
    const { arena, allocator, budget } = open(folder, { framesMax: 4_096, calls });
    const [inArena, counted] = [arena.frames, budget.used];
    const frames = Array.from({ length: 300 }, () => allocator.frameInFile());
    allocator.counted.update();
    assert.ok(!frames.some((frame) => allocator.file?.has(frame)));
    // The arena grows by sixteen frames at a time.
    assert.ok(arena.frames - inArena < 300 + 16, `${arena.frames - inArena} frames`);
    assert.equal(budget.used - counted, arena.frames - inArena);
  });

  it(`keeps the memory limit where ${reason}`, (test) => {
    const [folder, calls] = systemOf(tempFolder(test));
    const { allocator, budget } = open(folder, { framesMax: 4_096, budget: 100, calls });
    const frames = takeAll(allocator);
    assert.ok(frames.length >= 80 && frames.length <= 100, `${frames.length} frames`);
    assert.equal(new Set(frames).size, frames.length);
    assert.ok(budget.used <= 100, `${budget.used} frames counted`);
  });
}

/** A file of so many frames, each filled with its number from 1 on. */
function savedFile(folder: string, frames: number): { readonly fd: number; readonly path: string } {
  const path = join(folder, 'saved');
  writeFileSync(
    path,
    Buffer.concat(Array.from({ length: frames }, (_, at) => Buffer.alloc(FRAME_BYTES, at + 1))),
  );
  return { fd: openSync(path, 'r'), path };
}

function bytesAt(arena: Arena, frame: number): Buffer {
  return arena.bytes(frame + FRAME_BYTES).subarray(frame, frame + FRAME_BYTES);
}

it('has frames that hold what a file does, which stays as it is when they are written to', {
  skip,
}, (test) => {
  const folder = tempFolder(test);
  const { arena, allocator, file, budget } = open(folder);
  const { fd, path } = savedFile(folder, 40);
  const before = budget.used;
  const frames = allocator.framesFrom({ fd, from: 2 * FRAME_BYTES }, 38) ?? [];
  closeSync(fd);
  allocator.counted.update();
  assert.equal(budget.used, before);
  const saved = readFileSync(path);
  rmSync(path);
  for (const [at, frame] of frames.entries())
    assert.ok(bytesAt(arena, frame).every((byte) => byte === at + 3));
  bytesAt(arena, frames[5] ?? 0).fill(99);
  for (let at = 0; at < 20; at++) allocator.frame();
  assert.ok(bytesAt(arena, frames[5] ?? 0).every((byte) => byte === 99));
  assert.ok(bytesAt(arena, frames[6] ?? 0).every((byte) => byte === 9));
  assert.equal(saved[7 * FRAME_BYTES], 8);
  assert.ok(frames.every((each) => file?.has(each)));
  file?.close();
});

it('uses the place of frames of a file again, for others of a file and for those of its own', {
  skip,
}, (test) => {
  const folder = tempFolder(test);
  const { arena, allocator, file } = open(folder);
  const { fd } = savedFile(folder, 100);
  const first = allocator.framesFrom({ fd, from: 0 }, 100) ?? [];
  const { frames } = arena;
  allocator.retire(first, []);
  assert.equal(allocator.file?.framesFor(100), 0);
  const second = allocator.framesFrom({ fd, from: FRAME_BYTES }, 60) ?? [];
  assert.deepEqual(second, first.slice(0, 60));
  assert.equal(allocator.file?.framesFor(40), 40);
  assert.equal(allocator.file?.framesFor(41), 0);
  assert.ok(bytesAt(arena, second[59] ?? 0).every((byte) => byte === 61));
  const own = Array.from({ length: 32 }, () => allocator.frameInFile());
  assert.ok(own.every((frame) => first.includes(frame) && !second.includes(frame)));
  for (const frame of own) bytesAt(arena, frame).fill(7);
  assert.ok(second.every((frame, at) => bytesAt(arena, frame).every((byte) => byte === at + 2)));
  assert.equal(arena.frames, frames);
  closeSync(fd);
  file?.close();
});

it('joins the places of frames of files, so that what left them in parts fits them as a whole', {
  skip,
}, (test) => {
  const folder = tempFolder(test);
  const { arena, allocator, file } = open(folder);
  const { fd } = savedFile(folder, 100);
  const whole = allocator.framesFrom({ fd, from: 0 }, 100) ?? [];
  const { frames } = arena;
  for (let round = 0; round < 3; round++) {
    allocator.retire(round === 0 ? whole : (allocator.framesFrom({ fd, from: 0 }, 100) ?? []), []);
    const parts = [30, 50, 20].map((count) => allocator.framesFrom({ fd, from: 0 }, count) ?? []);
    for (const at of [1, 0, 2]) allocator.retire(parts[at] ?? [], []);
  }
  assert.deepEqual(allocator.framesFrom({ fd, from: 0 }, 100), whole);
  assert.equal(arena.frames, frames);
  closeSync(fd);
  file?.close();
});

it('has no frames of a file where there is no room for them, or the system maps none', { skip }, (test) => {
  const folder = tempFolder(test);
  const { fd } = savedFile(folder, 40);
  const { allocator: full } = open(folder, { framesMax: 32 });
  assert.equal(full.framesFrom({ fd, from: 0 }, 40), null);
  const calls = systemCalls();
  const { arena, allocator, file } = open(folder, { calls: calls && { ...calls, mapCopyOver: () => false } });
  assert.equal(allocator.framesFrom({ fd, from: 0 }, 40), null);
  // Not at a page.
  assert.equal(open(folder).allocator.framesFrom({ fd, from: 100 }, 10), null);
  const { frames } = arena;
  for (let at = 0; at < 40; at++) assert.ok(file?.has(allocator.frameInFile()));
  assert.ok(arena.frames - frames <= 16, `${arena.frames - frames} frames more`);
  closeSync(fd);
});

it('tells when the arena is full', (test) => {
  const { allocator } = open(join(tempFolder(test), 'missing'), { framesMax: 64 });
  assert.ok(takeAll(allocator).length > 40);
});

it('tries again to write the file a minute after there was no room', (test) => {
  let now = 0;
  const folder = join(tempFolder(test), 'later');
  const { allocator, file } = open(folder, { now: () => now });
  assert.ok(!allocator.file?.has(allocator.frameInFile()));
  mkdirSync(folder);
  now = 59_000;
  assert.ok(!allocator.file?.has(allocator.frameInFile()));
  now = 61_000;
  if (isExpected) assert.ok(allocator.file?.has(allocator.frameInFile()));
  file?.close();
});

it('asks no clock that can be set back when to try again', (test) => {
  test.mock.method(Date, 'now', () => assert.fail('it is asked'));
  const { allocator, file } = open(join(tempFolder(test), 'missing'));
  for (let tries = 0; tries < 2; tries++) assert.ok(!allocator.file?.has(allocator.frameInFile()));
  file?.close();
});

it('leaves no file that anybody could find', (test) => {
  const folder = tempFolder(test);
  const { allocator, file } = open(folder);
  allocator.frameInFile();
  assert.deepEqual(readdirSync(folder), []);
  file?.close();
});

it('works without such mappings', (test) => {
  assert.equal(FileFrames.of(Arena.create(8), { folder: tempFolder(test), framesMax: 8 }, null), null);
});
