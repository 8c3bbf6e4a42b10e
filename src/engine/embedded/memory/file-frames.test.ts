// Frames in a file: memory like any other, which the budget does not count and the system may drop.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Advice, systemCalls } from '../../../platform/native/system-calls.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { Allocator, ArenaFull } from './allocator.ts';
import { Arena, FRAME_BYTES } from './arena.ts';
import { Epochs } from './epochs.ts';
import { FileFrames } from './file-frames.ts';
import { FrameBudget } from './frame-budget.ts';

const FRAMES_MAX = 1_024;

function open(folder: string, options: { readonly framesMax?: number; readonly budget?: number } = {}) {
  const { framesMax = FRAMES_MAX } = options;
  const arena = Arena.create(framesMax);
  const file = FileFrames.of(arena, { folder, framesMax });
  const epochs = new Epochs(Epochs.allocate(0));
  const budget = FrameBudget.of(options.budget ?? FRAMES_MAX);
  const allocator = new Allocator(arena, { epochs, budget, framesMax, framesTaken: arena.frames });
  allocator.file = file;
  return { arena, file, allocator, budget };
}

const isExpected = systemCalls() !== null;

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

it('takes memory where there is no room for the file, and tells when the arena is full', (test) => {
  const { allocator } = open(join(tempFolder(test), 'missing'), { framesMax: 64 });
  const frames: number[] = [];
  assert.throws(() => {
    for (;;) frames.push(allocator.frameInFile());
  }, ArenaFull);
  assert.ok(frames.length > 40);
  assert.ok(!frames.some((frame) => allocator.file?.has(frame)));
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
