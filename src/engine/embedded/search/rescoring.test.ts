// Candidates are scored in batches: first as many as are certainly needed, then a few at a time.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CodeSpace } from '../ann/code-space.ts';
import type { Entries } from './heap-entries.ts';
import { rescore } from './rescoring.ts';
import type { RowScorer } from './row-scorer.ts';
import type { Selection } from './selection.ts';
import { TopK } from './top-k.ts';

const PLAIN = { space: new CodeSpace('dotproduct', null), postings: null, explain: null };

/** Candidates whose bounds fall by 1 each, and whose scores are lower by `loss`; slot i is row i. */
function candidates(count: number, loss: number) {
  const keys = new Float32Array(2 * count);
  const slots = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = -i;
    slots[2 * i + 1] = i;
  }
  const entries: Entries = { keys, slots, count };
  const batches: number[] = [];
  const score = (rows: readonly number[]) => {
    batches.push(rows.length);
    return Float64Array.from(rows, (row) => -row - loss);
  };
  const view = { rowsOf: (slots: readonly number[]) => [...slots] };
  return {
    entries,
    batches,
    selection: { segment: 0, view } as unknown as Selection,
    scorer: { score } as unknown as RowScorer,
  };
}

function batchesOf({ loss, firstBatchMin, topK }: { loss: number; firstBatchMin: number; topK: number }) {
  const { entries, batches, selection, scorer } = candidates(400, loss);
  const top = new TopK(topK);
  rescore(selection, entries, { ...PLAIN, scorer, top, firstBatchMin });
  const found = top.entries().map(({ slot }) => slot);
  assert.deepEqual(
    found.toSorted((a, b) => a - b),
    Array.from({ length: topK }, (_, slot) => slot),
  );
  return batches;
}

it('scores what is certainly needed first, whether or not it fits in one batch', () => {
  assert.deepEqual(batchesOf({ loss: 0.5, firstBatchMin: 12, topK: 10 }), [12]);
  assert.deepEqual(batchesOf({ loss: 0.5, firstBatchMin: 102, topK: 100 }), [64, 38]);
});

it('scores a few more each time, and none that cannot be among the best', () => {
  assert.deepEqual(batchesOf({ loss: 4.5, firstBatchMin: 12, topK: 10 }), [12, 2]);
  assert.deepEqual(batchesOf({ loss: 30.5, firstBatchMin: 102, topK: 100 }), [64, 38, 4, 8, 16]);
});

it('finds the best whatever the order of their slots, and however many another segment has found before', () => {
  for (const before of [0, 30, 99, 150]) {
    const { entries, selection } = candidates(400, 0);
    // The best has the last slot.
    for (let i = 0; i < 400; i++) entries.slots[2 * i + 1] = 399 - i;
    const read: number[] = [];
    const score = (rows: readonly number[]) => {
      read.push(...rows);
      return Float64Array.from(rows, (row) => row - 399);
    };
    const top = new TopK(100);
    // Of another segment, better than all.
    for (let i = 0; i < before; i++) top.offer(1 + i, 2 ** 32 + i);
    const scorer = { score } as unknown as RowScorer;
    rescore(selection, entries, { ...PLAIN, scorer, top, firstBatchMin: 102 });
    const wanted = Math.max(0, 100 - before);
    const found = top.entries().flatMap(({ slot }) => (slot < 400 ? slot : []));
    assert.deepEqual(
      found.toSorted((a, b) => b - a),
      Array.from({ length: wanted }, (_, i) => 399 - i),
      `after ${before}`,
    );
    const sure = read.slice(0, wanted > 64 ? wanted : 0);
    assert.deepEqual(
      sure,
      sure.toSorted((a, b) => a - b),
    );
  }
});
