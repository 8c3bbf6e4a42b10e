// Addresses of indexes: stable for their lifetime, never shared, not reused while fresh ones are left.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault, type FaultName } from '../../domain/faults.ts';
import { portHosts, virtualHosts } from './index-hosts.ts';
import { ControlPlane, eventually, NEW_INDEX, OWNER, STRANGER } from './testing/control-plane.ts';

function is(condition: FaultName) {
  return (error: unknown): boolean => error instanceof Fault && error.condition === condition;
}

describe('addresses of indexes', () => {
  let plane: ControlPlane;

  beforeEach(async () => {
    plane = await ControlPlane.make();
  });

  afterEach(() => plane.dispose());

  test('serves indexes at the same address after a restart', async () => {
    const first = await plane.start();
    const index = await first.create(OWNER, NEW_INDEX);
    plane.crash();
    const second = await plane.start({ portRange: { first: 6000, last: 6001 } });
    assert.deepEqual(await second.list(OWNER), [index]);
    assert.ok(plane.ports.open.has(5081));
    assert.equal((await second.create(OWNER, { ...NEW_INDEX, name: 'maps' })).port, 6000);
  });

  test('fails to start when other processes use ports of indexes, and names them', async () => {
    const first = await plane.start();
    for (const name of ['atlas', 'books', 'maps']) await first.create(OWNER, { ...NEW_INDEX, name });
    plane.crash();
    plane.ports.foreign.add(5081).add(5083);
    const second = await plane.load();
    await assert.rejects(second.start(), /5081 \(index atlas\), 5083 \(index maps\)/);
  });

  test('skips ports of other processes, and refuses clearly when the range has no free port', async () => {
    plane.ports.foreign.add(5081).add(5083);
    const indexes = await plane.start({ portRange: { first: 5081, last: 5083 } });
    const index = await indexes.create(OWNER, NEW_INDEX);
    assert.equal(index.port, 5082);
    assert.deepEqual(indexes.directory.byPort(5082), index);
    assert.equal(indexes.directory.byPort(5081), undefined);
    await assert.rejects(indexes.create(OWNER, { ...NEW_INDEX, name: 'maps' }), is('index-ports-exhausted'));
    assert.equal(plane.ports.open.size, 1);
    plane.ports.foreign.clear();
    assert.equal((await indexes.create(OWNER, { ...NEW_INDEX, name: 'maps' })).state, 'Ready');
  });

  test('opens no more ports than their share of open files, and refuses clearly beyond', async () => {
    const indexes = await plane.start({ portsMax: 1 });
    await indexes.create(OWNER, NEW_INDEX);
    await assert.rejects(indexes.create(OWNER, { ...NEW_INDEX, name: 'maps' }), is('index-ports-exhausted'));
    assert.equal(plane.ports.open.size, 1);
  });

  test('gives every index a port at a start without virtual hosts, also beyond their share of open files', async () => {
    const hosts = virtualHosts('https://', 'svc.example.org');
    const first = await plane.start({ portRange: null, hosts });
    for (const name of ['atlas', 'books', 'maps']) await first.create(OWNER, { ...NEW_INDEX, name });
    plane.crash();
    const second = await plane.start({ portsMax: 1 });
    assert.deepEqual(
      (await second.list(OWNER)).map(({ port }) => port),
      [5081, 5082, 5083],
    );
    await assert.rejects(second.create(OWNER, { ...NEW_INDEX, name: 'more' }), is('index-ports-exhausted'));
  });

  test('reuses a port for another name only when no fresh one is left, also after a restart', async () => {
    const range = { portRange: { first: 5081, last: 5082 } };
    const first = await plane.start(range);
    await first.create(OWNER, NEW_INDEX);
    await first.remove(OWNER, 'books');
    await eventually(async () => (await first.list(OWNER)).length === 0);
    plane.crash();
    const second = await plane.start(range);
    assert.equal((await second.create(OWNER, { ...NEW_INDEX, name: 'maps' })).port, 5082);
    assert.equal((await second.create(OWNER, NEW_INDEX)).port, 5081);
    await second.remove(OWNER, 'books');
    await eventually(async () => (await second.list(OWNER)).length === 1);
    assert.equal((await second.create(OWNER, { ...NEW_INDEX, name: 'atlas' })).port, 5081);
  });

  test('keeps the port of a deleted index open, also after a restart, until an index needs it', async () => {
    const range = { portRange: { first: 5081, last: 5082 } };
    const first = await plane.start(range);
    for (const name of ['books', 'maps']) await first.create(OWNER, { ...NEW_INDEX, name });
    await first.remove(OWNER, 'books');
    await eventually(async () => (await first.list(OWNER)).length === 1);
    assert.deepEqual([...plane.ports.open].sort(), [5081, 5082]);
    assert.equal(first.directory.byPort(5081), undefined);
    plane.crash();
    const second = await plane.start(range);
    assert.deepEqual([...plane.ports.open].sort(), [5081, 5082]);
    const atlas = await second.create(OWNER, { ...NEW_INDEX, name: 'atlas' });
    assert.deepEqual([atlas.port, second.directory.byPort(5081)?.id], [5081, atlas.id]);
    plane.crash();
    await plane.start(range);
    assert.deepEqual([...plane.ports.open].sort(), [5081, 5082]);
  });

  test('starts when another process has the port of a deleted index', async () => {
    const first = await plane.start();
    await first.create(OWNER, NEW_INDEX);
    await first.remove(OWNER, 'books');
    await eventually(async () => (await first.list(OWNER)).length === 0);
    plane.crash();
    plane.ports.foreign.add(5081);
    const second = await plane.start();
    assert.equal((await second.create(OWNER, NEW_INDEX)).port, 5082);
  });

  test('finds an index by host name in any case with virtual hosts, and uses no port', async () => {
    const indexes = await plane.start({
      portRange: null,
      hosts: virtualHosts('https://', 'svc.example.org'),
    });
    const index = await indexes.create(OWNER, NEW_INDEX);
    assert.match(indexes.hostOf(index), /^https:\/\/books-[0-9a-z]{7}\.svc\.example\.org$/);
    assert.deepEqual(indexes.directory.byHost(indexes.hostOf(index).slice(8).toUpperCase()), index);
    assert.equal(indexes.directory.byHost('localhost'), undefined);
    assert.equal(plane.ports.open.size, 0);
    const other = await indexes.create(STRANGER, NEW_INDEX);
    assert.notEqual(indexes.hostOf(other), indexes.hostOf(index));
  });

  test('assigns and releases ports when virtual hosts are turned off and on again', async () => {
    const first = await plane.start({ portRange: null, hosts: virtualHosts('', 'example.org', 5080) });
    await first.create(OWNER, NEW_INDEX);
    plane.crash();
    const second = await plane.start({ hosts: portHosts('', '10.0.0.7') });
    const [index] = await second.list(OWNER);
    assert.equal(index?.port, 5081);
    assert.equal(index && second.hostOf(index), '10.0.0.7:5081');
    assert.equal(plane.ports.open.size, 1);
    plane.crash();
    const third = await plane.start({ portRange: null, hosts: virtualHosts('', 'example.org') });
    assert.equal((await third.list(OWNER))[0]?.port, null);
    assert.equal(plane.ports.open.size, 0);
  });
});
