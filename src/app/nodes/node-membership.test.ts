// The lease of a node: it serves for less time than it owns, whatever its clocks do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NODE_LEASE_MS, NODE_SERVING_MS, type Node } from '../../domain/nodes/node.ts';
import { until } from '../../platform/testing/until.ts';
import { NodeMembership, NodeRunsElsewhere } from './node-membership.ts';

const OTHER: Node = {
  id: 'one',
  address: 'http://elsewhere',
  release: '1',
  seenAt: '2026-07-01T00:00:00.000Z',
  ...{ isAlive: true, isDraining: false, placed: 0, memoryFreeBytes: 1, diskFreeBytes: 1 },
};

function make({ answers = [] as (boolean | Error)[], atRenewal = (): void => undefined } = {}) {
  const now = { steady: 1_000_000, wall: 5_000_000 };
  const calls = { renewed: 0, left: 0, lost: 0, failures: 0, caughtUp: 0 };
  /** Of each renewal: whether the node was serving when it asked. */
  const held: boolean[] = [];
  const membership = new NodeMembership({
    id: 'one',
    address: 'http://one',
    release: '1',
    store: {
      renew: async ({ isHeld }) => {
        calls.renewed++;
        held.push(isHeld);
        atRenewal();
        const answer = answers.shift() ?? true;
        if (answer instanceof Error) throw answer;
        return answer;
      },
      leave: async () => {
        calls.left++;
      },
      list: async () => [OTHER],
    },
    report: async () => ({ memoryFreeBytes: 1, diskFreeBytes: 1 }),
    onWait: () => undefined,
    catchUp: async () => {
      calls.caughtUp++;
    },
    onFailure: () => {
      calls.failures++;
    },
    onLost: () => {
      calls.lost++;
    },
    clocks: { steady: () => now.steady, wall: () => now.wall },
  });
  return { membership, now, calls, held };
}

describe('the membership of a node', () => {
  test('serves nothing before its lease, nor after its own bound, which is within the lease', async () => {
    assert.ok(NODE_SERVING_MS < NODE_LEASE_MS);
    const { membership, now, calls } = make();
    assert.equal(membership.isHeld(), false);
    await membership.start();
    assert.ok(membership.isHeld());
    now.steady += NODE_SERVING_MS;
    assert.equal(membership.isHeld(), false, 'the machine was busy');
    now.steady -= NODE_SERVING_MS;
    now.wall += NODE_SERVING_MS;
    assert.equal(
      membership.isHeld(),
      false,
      'the machine was suspended, which its steady clock does not show',
    );
    now.wall -= 10 * NODE_SERVING_MS;
    assert.ok(membership.isHeld(), 'the wall clock was set back');
    await membership.close();
    assert.equal(membership.isHeld(), false);
    assert.equal(calls.left, 1);
  });

  test('waits for the lease of an earlier process', async () => {
    const { membership, calls } = make({ answers: [false, true] });
    await membership.start();
    assert.equal(calls.renewed, 2);
    await membership.close();
  });

  test('gives up to start where another process goes on to renew its lease, and names it', async () => {
    const { membership, now, calls } = make({
      answers: Array.from({ length: 10 }, () => false),
      atRenewal: () => {
        now.steady += NODE_LEASE_MS;
      },
    });
    await assert.rejects(membership.start(), (error) => {
      assert.ok(error instanceof NodeRunsElsewhere);
      assert.match(error.message, /another process runs as node one, at http:\/\/elsewhere, seen 2026/);
      return true;
    });
    assert.ok(calls.renewed >= 2, 'an earlier process may have left its lease');
  });

  test('prolongs a lease that it has, and takes it anew where it has lapsed meanwhile', async () => {
    let takesMs = 0;
    const { membership, now, calls, held } = make({
      atRenewal: () => {
        now.steady += takesMs;
        takesMs = 0;
      },
    });
    await membership.start();
    await until(async () => calls.renewed === 2, 'the second renewal');
    assert.deepEqual(held, [false, true]);
    // The answer comes when others may be taking over what the node has.
    takesMs = NODE_SERVING_MS;
    await until(async () => calls.renewed === 4, 'two more');
    assert.deepEqual([held, calls.caughtUp], [[false, true, true, false], 1]);
    assert.ok(membership.isHeld());
    await membership.close();
  });

  test('goes on after failures of the database, and stops for good when another process has the lease', async () => {
    const { membership, calls } = make({ answers: [true, new Error('gone'), true, false] });
    await membership.start();
    await until(async () => calls.lost === 1, 'the loss');
    assert.deepEqual([calls.failures, calls.renewed], [1, 4]);
    await membership.close();
  });
});
