// Of results by estimates, the best by rows are found without reading rows that have no chance.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { Arena } from '../memory/arena.ts';
import { entriesAt } from './heap-entries.ts';
import { refineResults } from './refined-results.ts';

const ENTRIES = 4_096;
const WANTED = 12;

/** Refines results whose true keys are given by slot, and bounds of which lie above these by up to `error`. */
function refined(trueKeys: readonly number[], error: () => number, least = -Infinity) {
  const arena = Arena.create();
  arena.words(ENTRIES + 8 * trueKeys.length);
  const workspace = { arena };
  const pairsAt = (entries: number, count: number) => {
    const { keys, slots } = entriesAt(workspace, entries, count);
    return {
      read: () =>
        Array.from({ length: count }, (_, at) => ({ key: keys[2 * at] ?? 0, slot: slots[2 * at + 1] ?? 0 })),
      write: (pairs: readonly { readonly key: number; readonly slot: number }[]) => {
        for (const [at, { key, slot }] of pairs.entries()) {
          keys[2 * at] = key;
          slots[2 * at + 1] = slot;
        }
      },
    };
  };
  const all = pairsAt(ENTRIES, trueKeys.length);
  const bounds = trueKeys.map((key, slot) => ({ key: key + error(), slot }));
  all.write(bounds.toSorted((a, b) => b.key - a.key));
  const batches: number[] = [];
  const graph = {
    keyResults: ({ results: { entries, count } }: { results: { entries: number; count: number } }) => {
      batches.push(count);
      const batch = pairsAt(entries, count);
      batch.write(batch.read().map(({ slot }) => ({ key: trueKeys[slot] ?? 0, slot })));
    },
    sortResults: ({ entries, count }: { entries: number; count: number }) => {
      const sorted = pairsAt(entries, count);
      sorted.write(sorted.read().toSorted((a, b) => b.key - a.key || a.slot - b.slot));
    },
  };
  const count = refineResults(
    { workspace: { arena, kernel: { graph } }, view: { codesOf: () => [] } },
    {
      results: { entries: ENTRIES, count: trueKeys.length },
      keying: { graph: 0, query: 0, scratch: { address: 0, beamCapacity: 0 } },
      wanted: WANTED,
      least,
      prefetch: { run: (_, __, compare) => compare() },
    },
  );
  return { found: all.read().slice(0, count), batches };
}

it('finds the best, best first, whatever the estimates, as long as their bounds hold', () => {
  const random = new Random(1);
  for (let round = 0; round < 40; round++) {
    const trueKeys = Array.from({ length: 1 + random.integer(400) }, () => Math.fround(random.uniform()));
    const { found } = refined(trueKeys, () => random.uniform() ** 2);
    const best = trueKeys.toSorted((a, b) => b - a).slice(0, WANTED);
    assert.deepEqual(
      found.slice(0, WANTED).map(({ key }) => key),
      best,
    );
    const keys = found.map(({ key }) => key);
    assert.deepEqual(
      keys,
      keys.toSorted((a, b) => b - a),
    );
  }
});

it('reads few more rows than are wanted where estimates are good, and all where they say nothing', () => {
  const random = new Random(7);
  const trueKeys = Array.from({ length: 400 }, () => Math.fround(random.uniform()));
  assert.deepEqual(refined(trueKeys, () => 0.001).batches, [16]);
  const { batches } = refined(trueKeys, () => 1);
  assert.equal(
    batches.reduce((sum, count) => sum + count, 0),
    400,
  );
  // Each batch is one wait for the disk.
  assert.ok(batches.length <= 6, `${batches}`);
});

it('finds all of the best that are of use, and as many as are wanted, where others are better', () => {
  const random = new Random(2);
  let [read, readWithout] = [0, 0];
  for (let round = 0; round < 40; round++) {
    const trueKeys = Array.from({ length: 1 + random.integer(400) }, () => Math.fround(random.uniform()));
    const errors = trueKeys.map(() => 0.2 * random.uniform());
    const least = trueKeys.toSorted((a, b) => b - a)[random.integer(WANTED)] ?? 0;
    const nextError = () => {
      let at = 0;
      return () => errors[at++] ?? 0;
    };
    const { found, batches } = refined(trueKeys, nextError(), least);
    const best = trueKeys.toSorted((a, b) => b - a).slice(0, WANTED);
    const ofUse = best.filter((key) => key >= least);
    assert.deepEqual(
      found.slice(0, ofUse.length).map(({ key }) => key),
      ofUse,
    );
    assert.ok(found.length >= Math.min(WANTED, trueKeys.length));
    const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + each, 0);
    read += sum(batches);
    readWithout += sum(refined(trueKeys, nextError()).batches);
  }
  assert.ok(read < 0.9 * readWithout, `${read} rows instead of ${readWithout}`);
});
