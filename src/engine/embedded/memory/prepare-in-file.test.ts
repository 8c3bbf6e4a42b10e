// Guarantees of frames that are made ahead: in small steps, kept for who asked, and free again when it gives up.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { Allocator, ArenaFull, type MemoryNeed } from './allocator.ts';
import { Arena } from './arena.ts';
import { Epochs } from './epochs.ts';
import { FileFrames } from './file-frames.ts';
import { FrameBudget } from './frame-budget.ts';
import { prepareInFile } from './prepare-in-file.ts';

const FRAMES_MAX = 512;
const NONE: MemoryNeed = { frames: 0, ungrown: 0, scratch: 0, inFile: 0 };
const { signal: NEVER } = new AbortController();
/** Of the file, at a time. */
const REGION_FRAMES = 8;
const skip = systemCalls() === null && 'this system maps no files';

function open(test: TestContext, calls = systemCalls()) {
  const arena = Arena.create(FRAMES_MAX);
  const epochs = new Epochs(Epochs.allocate(1));
  const allocator = new Allocator(arena, {
    epochs,
    budget: FrameBudget.of(FRAMES_MAX),
    framesMax: FRAMES_MAX,
  });
  const file = FileFrames.of(arena, { folder: tempFolder(test), framesMax: FRAMES_MAX }, calls);
  test.after(() => file?.close());
  allocator.file = file;
  return { arena, allocator, epochs };
}

for (const [place, calls] of [
  ['in a file', systemCalls()],
  ['in memory, where the system has no such files', null],
] as const) {
  it(`${place}: grows by a few frames a turn, and has all of them in the end`, async (test) => {
    const { arena, allocator, epochs } = open(test, calls);
    // What readers may still use is not free, but the frames that are made are.
    epochs.pin(0);
    const start = arena.frames;
    const preparing = prepareInFile(allocator, { ...NONE, inFile: 100 }, NEVER).then(() => 'done');
    const sizes = [start, arena.frames];
    while ((await Promise.race([preparing, setImmediate('a turn')])) !== 'done') sizes.push(arena.frames);
    sizes.push(arena.frames);
    const steps = sizes.slice(1).map((size, at) => size - (sizes[at] ?? 0));
    assert.ok(Math.max(...steps) <= 16 + REGION_FRAMES, `${steps}`);
    const before = arena.frames;
    const frames = Array.from({ length: 100 }, () => allocator.frameInFile());
    assert.equal(new Set(frames).size, 100);
    assert.equal(arena.frames, before, 'they were there');
  });

  it(`${place}: keeps what its owner needs from others meanwhile, and no longer`, async (test) => {
    const { allocator } = open(test, calls);
    const need = { ...NONE, frames: 200, inFile: 200 };
    const free = () => allocator.fits({ ...NONE, frames: 200 });
    const preparing = prepareInFile(allocator, need, NEVER);
    while ((await Promise.race([preparing.then(() => 'done'), setImmediate('a turn')])) !== 'done')
      assert.ok(!free());
    assert.ok(free());
  });

  it(`${place}: frees what it has when it is stopped, or finds no more`, async (test) => {
    const { allocator } = open(test, calls);
    const all = { ...NONE, inFile: 400 };
    const stop = new AbortController();
    const preparing = prepareInFile(allocator, all, stop.signal);
    await setImmediate();
    stop.abort(new Error('given up'));
    await assert.rejects(preparing, /given up/);
    await assert.rejects(prepareInFile(allocator, { ...NONE, inFile: 600 }, NEVER), ArenaFull);
    assert.ok(allocator.fits(all));
  });
}

for (const [what, inFile, leave] of [
  [
    'frames that its file has free',
    240,
    (allocator: Allocator) => allocator.giveBack(Array.from({ length: 200 }, () => allocator.frameInFile())),
  ],
  [
    'the place of a file that the system does not map',
    200,
    (allocator: Allocator) => assert.equal(allocator.framesFrom({ fd: 0, from: 0 }, 200), null),
  ],
] as const)
  it(`keeps no other memory from others for ${what}`, { skip }, async (test) => {
    const calls = systemCalls();
    assert.ok(calls !== null);
    const { allocator } = open(test, { ...calls, mapCopyOver: () => false });
    leave(allocator);
    const free = (frames: number) => allocator.fits({ ...NONE, frames });
    assert.ok(free(290));
    const preparing = prepareInFile(allocator, { ...NONE, frames: 90, inFile }, NEVER);
    let turns = 0;
    do {
      assert.ok(free(150), `in turn ${turns}`);
      assert.ok(!free(290), `in turn ${turns}`);
      turns++;
    } while ((await Promise.race([preparing.then(() => 'done'), setImmediate('a turn')])) !== 'done');
  });
