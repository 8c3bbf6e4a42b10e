// A write that fails or is aborted leaves only the old snapshot, and reports why.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { countTurns } from '../../../../platform/testing/turns.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { fillParts, fillPartsInSlices } from './fill-parts.ts';
import { removeLeftover, removeSnapshot } from './leftovers.ts';
import { breakFiles, type Fault, systemError } from './testing/faulty-disk.ts';
import { readGeneration, writeGeneration } from './testing/generations.ts';
import { bytesOf, emptySample, type PartShape, sample, usable } from './testing/sample.ts';
import { writeSnapshot } from './write-snapshot.ts';

const PROCESS = fileURLToPath(new URL('./testing/writing-process.ts', import.meta.url));
/** In the units of `ulimit -f`. */
const FILE_BLOCK_BYTES = 512;
const SHAPES: readonly PartShape[] = [{ name: 'codes', count: 64, bytesEach: 65_536 }];
const FAULTS: readonly Omit<Fault, 'act'>[] = [
  { call: 'statfs', nth: 1 },
  { call: 'open', nth: 1 },
  ...[1, 2, 30, 71, 72, 73, 74].map((nth) => ({ call: 'write', nth }) as const),
  { call: 'datasync', nth: 1 },
  { call: 'datasync', nth: 2 },
  { call: 'close', nth: 1 },
  { call: 'rename', nth: 1 },
];

async function generationOne(t: TestContext): Promise<{ readonly path: string; readonly folder: string }> {
  const folder = tempFolder(t);
  const path = join(folder, 'snapshot');
  await writeGeneration(path, 1);
  return { path, folder };
}

function assertOnlyGeneration(generation: number, { path, folder }: { path: string; folder: string }): void {
  assert.equal(readGeneration(path), generation);
  assert.deepEqual(readdirSync(folder), ['snapshot']);
}

describe('a write of a snapshot that fails', () => {
  for (const { call, nth } of FAULTS) {
    it(`rejects with the error and leaves the old one alone: ${call} ${nth}`, async (t) => {
      const old = await generationOne(t);
      const error = systemError('EIO');
      const mend = breakFiles({
        call,
        nth,
        act: () => {
          throw error;
        },
      });
      t.after(mend);
      await assert.rejects(writeGeneration(old.path, 2), error);
      mend();
      assertOnlyGeneration(1, old);
      await writeGeneration(old.path, 3);
      assertOnlyGeneration(3, old);
    });
  }

  it('rejects when only the last step fails, and one of the two is there, whole', async (t) => {
    const old = await generationOne(t);
    const error = systemError('EIO');
    const act = () => {
      throw error;
    };
    t.after(breakFiles({ call: 'sync', nth: 1, act }));
    await assert.rejects(writeGeneration(old.path, 2), error);
    assertOnlyGeneration(2, old);
  });

  it('leaves the old one alone when the disk takes no more', async (t) => {
    const old = await generationOne(t);
    for (const share of [0.01, 0.5, 0.99]) {
      const blocks = Math.floor((statSync(old.path).size * share) / FILE_BLOCK_BYTES);
      const command = [
        '-c',
        `ulimit -f ${blocks}; exec "$@"`,
        'sh',
        process.execPath,
        PROCESS,
        old.path,
        '2',
        '2',
      ];
      const { status, stderr } = spawnSync('sh', command, { encoding: 'utf8' });
      assert.equal(status, 1);
      assert.match(stderr, /EFBIG/);
      assertOnlyGeneration(1, old);
    }
  });

  it('does not begin when too little space would be left', async (t) => {
    const old = await generationOne(t);
    const source = { ...sample(SHAPES, 1), header: null };
    await assert.rejects(writeSnapshot(old.path, source, { spareBytes: 2 ** 60 }), { code: 'ENOSPC' });
    assertOnlyGeneration(1, old);
  });

  it('fails where there is no folder, or a folder has its name', async (t) => {
    const folder = tempFolder(t);
    await assert.rejects(writeGeneration(join(folder, 'none', 'snapshot'), 1), { code: 'ENOENT' });
    mkdirSync(join(folder, 'snapshot'));
    await assert.rejects(writeGeneration(join(folder, 'snapshot'), 1), { code: 'EISDIR' });
    assert.deepEqual(readdirSync(folder), ['snapshot']);
  });

  it('is rejected while the same path is being written', async (t) => {
    const old = await generationOne(t);
    const second = writeGeneration(old.path, 2);
    await assert.rejects(writeGeneration(old.path, 3), /being written/);
    await second;
    assertOnlyGeneration(2, old);
  });
});

describe('a snapshot that is aborted', () => {
  it('leaves the old one alone, and the memory is not read after the signal', async (t) => {
    const old = await generationOne(t);
    for (const turns of [0, 1, 3, 10, 30]) {
      const { memory, parts } = sample(SHAPES, 1);
      const stop = new AbortController();
      const watched = {
        name: 'codes',
        bytesEach: 65_536,
        addresses: guarded(parts[0]?.addresses, stop.signal),
      };
      const source = { memory, header: null, parts: [watched] };
      const writing = writeSnapshot(old.path, source, { signal: stop.signal, chunkBytes: 65_536 });
      for (let i = 0; i < turns; i++) await new Promise(setImmediate);
      const reason = new Error('given up');
      stop.abort(reason);
      await assert.rejects(writing, reason);
      assertOnlyGeneration(1, old);
    }
  });

  it('rejects once when a write fails at the same moment', async (t) => {
    const old = await generationOne(t);
    const stop = new AbortController();
    const reason = new Error('given up');
    const act = () => {
      stop.abort(reason);
      throw systemError('EIO');
    };
    t.after(breakFiles({ call: 'write', nth: 5, act }));
    const source = { ...sample(SHAPES, 1), header: null };
    const writing = writeSnapshot(old.path, source, { signal: stop.signal, chunkBytes: 65_536 });
    await assert.rejects(writing, reason);
    assertOnlyGeneration(1, old);
  });

  it('is not begun when the signal has fired before', async (t) => {
    const old = await generationOne(t);
    const signal = AbortSignal.abort();
    await assert.rejects(writeSnapshot(old.path, { ...sample(SHAPES, 1), header: null }, { signal }), {
      name: 'AbortError',
    });
    assertOnlyGeneration(1, old);
  });

  it('is not read any further after the signal', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    await writeSnapshot(path, { ...sample(SHAPES, 1), header: null }, { chunkBytes: 65_536 });
    const read = emptySample(SHAPES, 1);
    const stop = new AbortController();
    const filling = fillPartsInSlices(usable(path), read.memory, read.parts, { signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort();
    const [part] = read.parts;
    assert.ok(part !== undefined);
    const before = bytesOf(read, part);
    await assert.rejects(filling, { name: 'AbortError' });
    assert.ok(bytesOf(read, part).equals(before));
    assert.ok(before.subarray(-65_536).every((byte) => byte === 0));
  });
});

describe('writing a snapshot', () => {
  it('lets other work of its thread run between chunks', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const { memory, parts } = sample(SHAPES, 1);
    const turns = countTurns();
    const readIn = new Map<number, Set<PropertyKey>>();
    const addresses = new Proxy(Array.from(parts[0]?.addresses ?? []), {
      get: (target, key) => {
        const { count } = turns;
        if (key !== 'length') readIn.set(count, (readIn.get(count) ?? new Set()).add(key));
        return Reflect.get(target, key);
      },
    });
    const source = { memory, header: null, parts: [{ name: 'codes', bytesEach: 65_536, addresses }] };
    await writeSnapshot(path, source, { chunkBytes: 65_536 });
    turns.stop();
    // The first turn looks whether all are inside of the memory; then come a chunk to write and the next one beside it.
    const [, ...chunks] = [...readIn.values()].map(({ size }) => size);
    assert.ok(
      chunks.every((count) => count <= 2),
      chunks.join(),
    );
    assert.equal(
      chunks.reduce((sum, count) => sum + count, 0),
      64,
    );
  });

  it('stores what its checksums say while the memory changes', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const { memory, parts } = sample(SHAPES, 1);
    const words = new Uint32Array(memory.buffer);
    let writing = true;
    const done = writeSnapshot(path, { memory, header: null, parts }).finally(() => {
      writing = false;
    });
    for (let i = 1; writing; i++) {
      words.fill(i);
      await new Promise(setImmediate);
    }
    await done;
    assert.deepEqual(fillParts(usable(path), memory, parts), { usable: true, damaged: [] });
  });
});

describe('the file beside a snapshot that a crash left', () => {
  it('is removed at the next write, and when its owner asks', async (t) => {
    const old = await generationOne(t);
    writeFileSync(`${old.path}.part`, 'half');
    await writeGeneration(old.path, 2);
    assertOnlyGeneration(2, old);
    writeFileSync(`${old.path}.part`, 'half');
    removeLeftover(old.path);
    removeLeftover(old.path);
    assertOnlyGeneration(2, old);
    writeFileSync(`${old.path}.part`, 'half');
    removeSnapshot(old.path);
    removeSnapshot(old.path);
    assert.deepEqual(readdirSync(old.folder), []);
  });
});

/** Addresses that no one may ask for after the signal. */
function guarded(addresses: ArrayLike<number> = [], signal: AbortSignal): ArrayLike<number> {
  return new Proxy(Array.from(addresses), {
    get: (target, key) => {
      assert.ok(!signal.aborted, 'the memory was read after the signal');
      return Reflect.get(target, key);
    },
  });
}
