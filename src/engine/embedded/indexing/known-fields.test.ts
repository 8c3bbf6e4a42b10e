// A field name is stored once for each namespace, whatever the cache evicts in between.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KnownFields } from './known-fields.ts';

function setUp() {
  const stored = new Map<number, string[]>();
  const store = {
    *list(namespaceId: number) {
      yield* stored.get(namespaceId) ?? [];
    },
  };
  const fields = new KnownFields();
  const note = (namespaceId: number, field: string): boolean => {
    const isNew = fields.isNew(store, namespaceId, field);
    if (isNew) stored.set(namespaceId, [...(stored.get(namespaceId) ?? []), field]);
    return isNew;
  };
  return { fields, stored, note };
}

it('reports a name as new once, over many namespaces and after it was evicted', () => {
  const { fields, note } = setUp();
  for (let round = 0; round < 3; round++) {
    for (let namespaceId = 0; namespaceId < 60_000; namespaceId++)
      assert.equal(note(namespaceId, 'a'), round === 0);
    if (round === 0) fields.forget(7);
    if (round === 1) fields.clear();
  }
  assert.equal(note(7, 'b'), true);
});

it('reports names as new again after their commit failed', () => {
  const { fields, stored, note } = setUp();
  assert.equal(note(1, 'a'), true);
  stored.clear();
  fields.clear();
  assert.equal(note(1, 'a'), true);
});

it('lists a bounded number of names for a namespace', () => {
  const { note } = setUp();
  let listed = 0;
  // Stored only as often as they are new; the rest costs nothing.
  for (let i = 0; i < 10_500; i++) if (note(1, `f${i}`)) listed++;
  assert.equal(listed, 10_000);
  assert.equal(note(2, 'f'), true);
});
