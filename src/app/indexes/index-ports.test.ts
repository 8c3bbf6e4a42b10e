// Ports of deleted indexes: open for a day, and then closed, unless an index got them meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IndexPorts, RETIRED_PORT_HOURS } from './index-ports.ts';

const KEPT_MS = RETIRED_PORT_HOURS * 60 * 60 * 1_000;

function openPorts() {
  const open = new Set<number>();
  const ports = new IndexPorts({
    listen: async (port) => {
      assert.ok(!open.has(port), `port ${port} is open`);
      open.add(port);
    },
    close: async (port) => void open.delete(port),
  });
  return { open, ports };
}

test('closes the port of a deleted index after a day', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { open, ports } = openPorts();
  await ports.listen(1);
  ports.retire(1, Date.now());
  ports.retire(2, Date.now());
  context.mock.timers.tick(KEPT_MS - 1);
  assert.deepEqual([...open], [1]);
  context.mock.timers.tick(1);
  assert.deepEqual([...open], []);
});

test('keeps a port open that an index takes over', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { open, ports } = openPorts();
  await ports.listen(1);
  ports.retire(1, Date.now());
  await ports.listen(1);
  context.mock.timers.tick(2 * KEPT_MS);
  assert.deepEqual([...open], [1]);
  await ports.close(1);
  assert.deepEqual([...open], []);
});

test('reopens a port for the rest of its day', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10 * KEPT_MS });
  const { open, ports } = openPorts();
  await ports.reopen(1, 9 * KEPT_MS);
  await ports.reopen(2, 9 * KEPT_MS + 1_000);
  await ports.listen(3);
  await ports.reopen(3, 10 * KEPT_MS);
  assert.deepEqual([...open], [2, 3]);
  context.mock.timers.tick(1_000);
  assert.deepEqual([...open], [3]);
  context.mock.timers.tick(KEPT_MS);
  assert.deepEqual([...open], [3], 'an index has it');
});
