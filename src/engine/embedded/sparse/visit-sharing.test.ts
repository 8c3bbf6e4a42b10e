// The records that contain an index, from posting lists, against a plain list of sparse vectors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { KINDS, sampleSparse } from './testing/naive-sparse.ts';
import { PostingListFixture } from './testing/posting-list-fixture.ts';

const RECORDS = 1_000;
const INDICES_TRIED = 25;
/** The last leaves so few matches that chunks are scored slot by slot. */
const FILTERS: readonly ((slot: number) => boolean)[] = [
  () => true,
  (slot) => slot % 3 !== 0,
  (slot) => slot % 97 === 0,
];

for (const [name, kind] of Object.entries(KINDS)) {
  test(`${name}: visits exactly the matching records that contain an index, each once, whatever its value`, () => {
    const random = new Random(73);
    // The last chunk is not closed: its records are unindexed.
    const fixture = new PostingListFixture({ slotsMax: RECORDS, chunkSlots: 300 });
    for (let slot = 0; slot < RECORDS; slot++) {
      fixture.append(slot % 10 === 0 ? null : sampleSparse(random, kind, 1 + random.integer(60)));
    }
    for (let tried = 0; tried < INDICES_TRIED; tried++) {
      const [index = 0] = sampleSparse(random, kind, 1).indices;
      const isMatch = FILTERS[tried % FILTERS.length] ?? (() => true);
      fixture.want(isMatch, RECORDS);
      const visited: number[] = [];
      const one = { indices: Uint32Array.of(index), values: Float32Array.of(1) };
      fixture.open(one).visitSharing((slot) => visited.push(slot));
      const containing = [...fixture.records.entries()]
        .filter(([slot, record]) => isMatch(slot) && record?.indices.includes(index))
        .map(([slot]) => slot);
      assert.deepEqual(
        visited.sort((a, b) => a - b),
        containing,
      );
    }
  });
}
