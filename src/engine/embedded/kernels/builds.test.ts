// The committed builds: what they own, and that instances share a memory without interfering.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isSupported, loadKernel } from './kernel.ts';
import { FRAME_BYTES, layOutScratch, scratchBytes } from './layout.ts';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, KernelFixture } from './testing/kernel-fixture.ts';
import { sampleVector } from './testing/sample-vectors.ts';

/** Ids of sections of a WASM file. */
const MEMORY_SECTION = 5;
const START_SECTION = 8;
const DATA_SECTION = 11;

function sectionIds(bytes: Uint8Array): readonly number[] {
  const ids: number[] = [];
  for (let at = 8; at < bytes.length; ) {
    ids.push(bytes[at] ?? 0);
    let [size, shift, byte] = [0, 0, 0x80];
    for (at++; byte >= 0x80; at++, shift += 7) {
      byte = bytes[at] ?? 0;
      size += (byte & 0x7f) << shift;
    }
    at += size;
  }
  return ids;
}

for (const build of BUILDS) {
  test(`${build}: brings no memory, data or start code of its own`, () => {
    const ids = sectionIds(readFileSync(new URL(`./${build}.wasm`, import.meta.url)));
    for (const id of [MEMORY_SECTION, START_SECTION, DATA_SECTION])
      assert.ok(!ids.includes(id), `section ${id}`);
  });

  test(`${build}: runs on this runtime, and writes nothing below the first frame`, () => {
    assert.ok(isSupported(build));
    const fixture = new KernelFixture(build);
    fixture.load([new Float32Array(100).fill(1)]);
    fixture.prepare('cosine', new Float32Array(100).fill(2));
    assert.equal(fixture.scan(5).count, 1);
    assert.ok(fixture.u8.subarray(0, FRAME_BYTES).every((byte) => byte === 0));
  });

  test(`${build}: keeps two instances that alternate in one memory apart`, () => {
    const random = new Random(41);
    const fixture = new KernelFixture(build);
    const dim = 64;
    fixture.load(Array.from({ length: 100 }, () => sampleVector('normal', dim, random)));
    const [queryA, queryB] = [sampleVector('normal', dim, random), sampleVector('normal', dim, random)];
    fixture.prepare('cosine', queryA);
    const alone = fixture.scan(10).entries;

    const other = loadKernel(fixture.memory, build);
    const scratch = layOutScratch(fixture.rows + 4 * dim * 200, dim, 10);
    fixture.prepare('cosine', queryA);
    fixture.f32.set(queryB, scratch.end >> 2);
    other.prepareQuery(scratch.end, scratch.query, { dim, metric: 'euclidean' });
    other.resetHeap(scratch.heap, 10);
    assert.deepEqual(fixture.scan(10).entries, alone);
    const { frames: frame, bitmap } = fixture;
    const shared = { frame, rowCount: 100, firstSlot: 0, bitmap, sparseScores: 0 };
    other.scanFrame({ query: scratch.query, heap: scratch.heap, ...shared });
    assert.deepEqual(fixture.scan(10).entries, alone);
    assert.equal(other.finishHeap(scratch.heap).offered, 100);
  });
}

test('picks a build when none is named', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true });
  assert.ok(BUILDS.includes(loadKernel(memory).build));
});

test('lays out the blocks of a scratch space apart, and within its bytes', () => {
  const { query, sparseQuery, heap, end } = layOutScratch(128, 768, 1000);
  assert.ok(query >= 128 && query < sparseQuery && sparseQuery < heap && heap < end);
  assert.equal(end - 128, scratchBytes(768, 1000));
  for (const address of [query, sparseQuery, heap]) assert.equal(address % 16, 0);
});
