// The port pool over any history of created and deleted names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../domain/faults.ts';
import { PortPool } from './port-pool.ts';

const RANGE = { first: 5081, last: 5084 };
const owner = (indexName: string) => ({ projectId: 'p', indexName });

test('never shares a port, and reuses one for another name only when no fresh one is left', () => {
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), retire: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const pool = new PortPool(RANGE, []);
      const live = new Map<string, number>();
      const lastOwner = new Map<number, string>();
      for (const { name, retire } of steps) {
        const port = live.get(name);
        if (port !== undefined && retire) {
          pool.retire(port, owner(name));
          live.delete(name);
        }
        if (port !== undefined || retire) continue;
        if (live.size === 4) {
          assert.throws(() => pool.take(owner(name)), Fault);
          continue;
        }
        const taken = pool.take(owner(name));
        assert.ok(![...live.values()].includes(taken));
        const previous = lastOwner.get(taken);
        if (previous !== undefined && previous !== name) assert.equal(lastOwner.size, 4);
        live.set(name, taken);
        lastOwner.set(taken, name);
      }
    }),
    { seed: 7, numRuns: 300 },
  );
});

test('has no more ports open than it may, and says what lets it', () => {
  const pool = new PortPool(RANGE, [], 2);
  const port = pool.take(owner('a'));
  pool.take(owner('b'));
  const isExhausted = (error: unknown) =>
    error instanceof Fault &&
    error.condition === 'index-ports-exhausted' &&
    /^All 2 .*ulimit/.test(error.message);
  assert.throws(() => pool.take(owner('c')), isExhausted);
  // That of a deleted index is still open, and goes to the next one.
  pool.retire(port, owner('a'));
  assert.equal(pool.take(owner('c')), port);
  // At a start with a lower limit, there are more.
  pool.hold(5_084);
  assert.throws(() => pool.take(owner('d')), isExhausted);
});

test('grants the longest unused port first when none is fresh', () => {
  const grants = [5083, 5081, 5084, 5082].map((port) => ({ port, ...owner(`old-${port}`), retiredAt: null }));
  const pool = new PortPool(RANGE, grants);
  assert.equal(pool.take(owner('new')), 5083);
  assert.equal(pool.take(owner('newer')), 5081);
  assert.equal(pool.take(owner('old-5082')), 5082);
});

test('grants the ports of a moved range, however many an earlier one had', () => {
  const grants = [6_001, 6_002, 6_003].map((port) => ({ port, ...owner(`old-${port}`), retiredAt: null }));
  const pool = new PortPool(RANGE, grants, 2);
  pool.hold(6_001);
  assert.equal(pool.take(owner('new')), 5_081);
  assert.throws(() => pool.take(owner('newer')), Fault);
});
