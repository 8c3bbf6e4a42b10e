// Tests quotas: rates refill, counts are bounded, and what was set holds until it is set anew.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintProjectAccess } from '../../domain/access.ts';
import type { Actor } from '../../domain/administration/audit.ts';
import { Fault } from '../../domain/faults.ts';
import type { ProjectUsage, Quota, SubjectQuota } from '../../domain/quotas.ts';
import { QuotaService } from './quota-service.ts';

const BY: Actor = { type: 'system', id: '', requestId: null };
const MEGABYTE = 1_000_000;
const NOTHING: ProjectUsage = { records: 0, storageMegabytes: 0, indexes: 0, files: 0 };

const accessOf = (principalId: string, projectId = 'project') =>
  mintProjectAccess({ organizationId: 'organization', projectId, principalId });

/** Quotas with a store in memory and a clock of their own. */
async function setUp({ project = {}, key = {} }: { project?: Quota; key?: Quota } = {}) {
  const stored = new Map<string, SubjectQuota>();
  const state = { nowMs: 0, counts: 0, usage: NOTHING };
  const store = {
    list: async () => [...stored.values()],
    set: async (changed: SubjectQuota) => void stored.set(changed.subject.id, changed),
  };
  const open = async () => {
    const service = new QuotaService({
      store,
      defaults: { project, key },
      usageOf: async () => {
        state.counts++;
        return state.usage;
      },
      filesOf: async () => state.usage.files,
      now: () => state.nowMs,
    });
    await service.load();
    return service;
  };
  return { state, open, service: await open() };
}

const secondsOf = (act: () => void): number => {
  try {
    act();
    return 0;
  } catch (error) {
    assert.ok(error instanceof Fault && error.condition === 'rate-exceeded' && error.status === 429);
    return error.retryAfterSeconds ?? Number.NaN;
  }
};

describe('quotas', () => {
  it('bounds nothing by default', async () => {
    const { service, state } = await setUp();
    for (let i = 0; i < 10_000; i++) service.admitRequest(accessOf('key'));
    service.admitWrite(accessOf('key'), 1e12);
    service.admitIndex('project', 1e6);
    await service.growth.admitGrowth(accessOf('key'));
    await service.admitFile('project');
    assert.equal(state.counts, 0);
  });

  it('refuses requests beyond a rate until time has passed, those of the project together', async () => {
    const { service, state } = await setUp({ project: { requestsPerSecond: 10 } });
    for (let i = 0; i < 10; i++) service.admitRequest(accessOf(`key-${i % 2}`));
    assert.equal(
      secondsOf(() => service.admitRequest(accessOf('key-3'))),
      1,
    );
    assert.equal(
      secondsOf(() => service.admitRequest(accessOf('key', 'other'))),
      0,
    );
    state.nowMs += 100;
    service.admitRequest(accessOf('key-3'));
    assert.equal(
      secondsOf(() => service.admitRequest(accessOf('key-3'))),
      1,
    );
    const [refused] = service.refusals(null);
    assert.deepEqual(refused, { projectId: 'project', name: 'requestsPerSecond', refusals: 2 });
  });

  it('counts for a key only what its project takes, too, and the other way round', async () => {
    const { service, state } = await setUp({
      project: { requestsPerSecond: 2, writeMegabytesPerSecond: 1 },
      key: { requestsPerSecond: 4, writeMegabytesPerSecond: 8 },
    });
    const request = (key: string) => secondsOf(() => service.admitRequest(accessOf(key)));
    const write = (key: string, bytes: number) => secondsOf(() => service.admitWrite(accessOf(key), bytes));
    for (let i = 0; i < 2; i++) assert.equal(request('busy'), 0);
    // Its project refuses these, so that they must not use up the key.
    for (let i = 0; i < 10; i++) assert.equal(request('key'), 1);
    assert.equal(write('busy', 2 * MEGABYTE), 0);
    assert.equal(write('key', 100 * MEGABYTE), 1);
    state.nowMs += 1_100;
    for (let i = 0; i < 2; i++) assert.equal(request('key'), 0);
    assert.equal(write('key', MEGABYTE / 2), 0);
    // What the key refuses leaves the project alone.
    const tight = await setUp({ project: { requestsPerSecond: 5 }, key: { requestsPerSecond: 1 } });
    const ask = (key: string) => secondsOf(() => tight.service.admitRequest(accessOf(key)));
    assert.equal(ask('greedy'), 0);
    for (let i = 0; i < 10; i++) assert.equal(ask('greedy'), 1);
    for (const key of ['a', 'b', 'c', 'd']) assert.equal(ask(key), 0);
  });

  it('bounds people by their project, and not by what holds for keys', async () => {
    const { service } = await setUp({ project: { requestsPerSecond: 3 }, key: { requestsPerSecond: 1 } });
    const fields = { organizationId: 'organization', projectId: 'project', principalId: 'person' };
    const person = mintProjectAccess({ ...fields, principalType: 'user' });
    const refused = Array.from({ length: 4 }, () => secondsOf(() => service.admitRequest(person)) > 0);
    assert.deepEqual(refused, [false, false, false, true]);
  });

  it('has requests within others wait for their turn, which no refusal is, and ends with its client', async () => {
    const { service, state } = await setUp({ project: { requestsPerSecond: 2 } });
    const { signal } = new AbortController();
    await service.awaitRequest(accessOf('key'), signal);
    service.admitRequest(accessOf('key'));
    const leaving = new AbortController();
    const left = service.awaitRequest(accessOf('key'), leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    let isOver = false;
    const waiting = service.awaitRequest(accessOf('key'), signal).then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    assert.equal(isOver, false);
    state.nowMs += 500;
    await waiting;
    assert.deepEqual(service.refusals(null), []);
    assert.equal(
      secondsOf(() => service.admitRequest(accessOf('key'))),
      1,
    );
  });

  it('takes a write larger than a second allows, and has the next ones wait for it', async () => {
    const { service, state } = await setUp({ key: { writeMegabytesPerSecond: 1 } });
    service.admitWrite(accessOf('key'), 4 * MEGABYTE);
    assert.equal(
      secondsOf(() => service.admitWrite(accessOf('key'), 1)),
      3,
    );
    assert.equal(
      secondsOf(() => service.admitWrite(accessOf('other'), 1)),
      0,
    );
    state.nowMs += 3_100;
    assert.equal(
      secondsOf(() => service.admitWrite(accessOf('key'), 1)),
      0,
    );
  });

  it('refuses what grows a project beyond its bounds, and counts seldom', async () => {
    const { service, state } = await setUp({ project: { records: 100, storageMegabytes: 50 } });
    state.usage = { ...NOTHING, records: 99 };
    for (let i = 0; i < 5; i++) await service.growth.admitGrowth(accessOf('key'));
    assert.equal(state.counts, 1);
    state.usage = { ...NOTHING, records: 100 };
    state.nowMs += 10_000;
    await assert.rejects(service.growth.admitGrowth(accessOf('key')), {
      condition: 'quota-exceeded',
      status: 429,
    });
    state.usage = { ...NOTHING, storageMegabytes: 50.1 };
    state.nowMs += 10_000;
    await assert.rejects(service.growth.admitGrowth(accessOf('key')), { condition: 'quota-exceeded' });
  });

  it('bounds indexes and files by their number', async () => {
    const { service, state } = await setUp({ project: { indexes: 2, files: 1 } });
    service.admitIndex('project', 1);
    assert.throws(() => service.admitIndex('project', 2), { condition: 'quota-exceeded' });
    await service.admitFile('project');
    state.usage = { ...NOTHING, files: 1 };
    await assert.rejects(service.admitFile('project'), { condition: 'quota-exceeded' });
    assert.equal(state.counts, 0, 'no index is measured for it');
  });

  it('remembers the refusals of the latest 10,000 projects', async () => {
    const { service } = await setUp({ project: { indexes: 1 } });
    for (let i = 0; i < 10_002; i++)
      assert.throws(() => service.admitIndex(`project-${i}`, 1), { condition: 'quota-exceeded' });
    const known = service.refusals(null).map(({ projectId }) => projectId);
    assert.deepEqual([known.length, known[0], known.at(-1)], [10_000, 'project-2', 'project-10001']);
  });

  it('holds to what was set, zero lifting a default, and knows it after a restart', async () => {
    const { service, open } = await setUp({ project: { indexes: 1, records: 7 } });
    const subject = { kind: 'project', id: 'project' } as const;
    await service.set({ subject, quota: { indexes: 0, files: 3 } }, 'organization', BY);
    for (const each of [service, await open()]) {
      assert.deepEqual(each.own(subject), { indexes: 0, files: 3 });
      assert.deepEqual(each.effective(subject), { indexes: 0, records: 7, files: 3 });
      each.admitIndex('project', 5);
    }
    await service.set({ subject, quota: {} }, 'organization', BY);
    assert.throws(() => service.admitIndex('project', 5), { condition: 'quota-exceeded' });
  });
});
