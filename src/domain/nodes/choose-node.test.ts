// Placement of new indexes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseNode } from './choose-node.ts';
import type { Node } from './node.ts';

const GIBIBYTE = 2 ** 30;

function node(id: string, fields: Partial<Node> = {}): Node {
  return {
    id,
    address: `http://${id}`,
    release: '1',
    seenAt: '',
    placed: 0,
    isAlive: true,
    isDraining: false,
    memoryFreeBytes: 8 * GIBIBYTE,
    diskFreeBytes: 100 * GIBIBYTE,
    ...fields,
  };
}

function placedAll(nodes: readonly Node[], count: number): ReadonlyMap<string, number> {
  const placed = new Map<string, number>();
  for (let at = 0; at < count; at++) {
    const chosen = chooseNode(nodes, (id) => placed.get(id) ?? 0);
    assert.ok(chosen);
    placed.set(chosen.id, (placed.get(chosen.id) ?? 0) + 1);
  }
  return placed;
}

test('spreads indexes by what is free, although empty ones take nothing', () => {
  const nodes = [node('a'), node('b', { memoryFreeBytes: 24 * GIBIBYTE })];
  assert.deepEqual([...placedAll(nodes, 40)].toSorted(), [
    ['a', 10],
    ['b', 30],
  ]);
});

test('counts the scarcer of memory and disk', () => {
  const nodes = [node('a', { diskFreeBytes: 2 * GIBIBYTE }), node('b', { memoryFreeBytes: 3 * GIBIBYTE })];
  assert.equal(chooseNode(nodes, () => 0)?.id, 'b');
});

test('places nothing on nodes that are dead, draining, or full while others are not', () => {
  const others = [node('dead', { isAlive: false }), node('draining', { isDraining: true })];
  const full = node('full', { diskFreeBytes: GIBIBYTE / 2 });
  const poor = node('poor', { memoryFreeBytes: GIBIBYTE / 4 });
  assert.equal(chooseNode([...others, full, poor], () => 0)?.id, 'poor');
  assert.equal(chooseNode([...others, full], () => 0)?.id, 'full');
  assert.equal(
    chooseNode(others, () => 0),
    null,
  );
});
