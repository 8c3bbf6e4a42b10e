// Whether a search was wide enough is told by what codes of its candidates were off, as a share of what they may be.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { type Candidates, CodeErrors } from './code-errors.ts';
import type { Entries } from './heap-entries.ts';

interface Row {
  readonly estimate: number;
  readonly room: number;
  /** -1 to 1. */
  readonly share: number;
}

function entriesOf(pairs: readonly { readonly key: number; readonly slot: number }[]): Entries {
  const best = pairs.toSorted((a, b) => b.key - a.key);
  return {
    keys: Float32Array.from(best.flatMap(({ key }) => [key, 0])),
    slots: Uint32Array.from(best.flatMap(({ slot }) => [0, slot])),
    count: best.length,
  };
}

/** All rows are scored. */
function candidatesOf(rows: readonly Row[]): Candidates {
  const bounds = entriesOf(rows.map(({ estimate, room }, slot) => ({ key: estimate + room, slot })));
  const rowAt = (at: number) => rows[bounds.slots[2 * at + 1] ?? 0] ?? assert.fail('no such row');
  return {
    estimates: entriesOf(rows.map(({ estimate }, slot) => ({ key: estimate, slot }))),
    bounds,
    largestRoom: Math.max(...rows.map(({ room }) => room)),
    scored: rows.map((_, at) => ({ at, key: rowAt(at).estimate + rowAt(at).share * rowAt(at).room })),
  };
}

function rowsOf(count: number, { room, share }: { room: () => number; share: () => number }): Row[] {
  return Array.from({ length: count }, (_, at) => ({ estimate: -at, room: room(), share: share() }));
}

it('tells rows apart by the share of their room that they use, however much that differs between rows', () => {
  const random = new Random(87);
  const share = () => 0.02 * random.normal();
  // The last estimate is -39, and the largest room 100: the likely most is some 10 above that.
  for (const room of [() => 100, () => 20 + 80 * random.uniform()]) {
    const candidates = candidatesOf(rowsOf(40, { room, share }));
    assert.ok(new CodeErrors().tellApart(candidates, -20));
    assert.ok(!new CodeErrors().tellApart(candidates, -36));
  }
});

it('trusts errors only of some rows, and the bounds alone of fewer', () => {
  const random = new Random(88);
  const share = () => 0.02 * random.normal();
  const few = candidatesOf(rowsOf(7, { room: () => 100, share }));
  assert.ok(!new CodeErrors().tellApart(few, 93));
  assert.ok(new CodeErrors().tellApart(few, 94));
});

it('learns from all searches of a query', () => {
  const random = new Random(89);
  const share = () => 0.02 * random.normal();
  const errors = new CodeErrors();
  const rows = rowsOf(14, { room: () => 100, share });
  assert.ok(!errors.tellApart(candidatesOf(rows.slice(0, 7)), 10));
  const later = candidatesOf(rows);
  const fresh = later.scored.filter(({ at }) => (later.bounds.slots[2 * at + 1] ?? 0) >= 7);
  assert.ok(errors.tellApart({ ...later, scored: fresh }, 10));
});

it('tells copies of a row from what is no better, and never what codes leave open', () => {
  const copies = Array.from({ length: 40 }, () => ({ estimate: 5, room: 2, share: 0.25 }));
  assert.ok(new CodeErrors().tellApart(candidatesOf(copies), 5.5));
  const random = new Random(90);
  const open = rowsOf(40, { room: () => 100, share: () => 2 * random.uniform() - 1 });
  assert.ok(!new CodeErrors().tellApart(candidatesOf(open), 60));
  assert.ok(new CodeErrors().tellApart(candidatesOf(open), 61.5));
});

it('promises nothing of rows with little room by errors that only lower keys', () => {
  const shrinking = Array.from({ length: 40 }, (_, at) => ({
    estimate: 0.1 * (50 - at),
    room: 50 - at,
    share: -0.25,
  }));
  // The last has an estimate of 1.1. One behind it may have a key of as much.
  assert.ok(!new CodeErrors().tellApart(candidatesOf(shrinking), -1.65));
  assert.ok(new CodeErrors().tellApart(candidatesOf(shrinking), 1.2));
  const copies = Array.from({ length: 40 }, () => ({ estimate: 5, room: 2, share: -0.25 }));
  assert.ok(new CodeErrors().tellApart(candidatesOf(copies), 4.5));
});
