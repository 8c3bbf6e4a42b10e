// Which branches are made and merged.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import type { OnConflict } from '../../domain/branches/services.ts';
import type { IndexEmbedding } from '../../domain/embedding/index-embedding.ts';
import { fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import { CAPABILITIES } from '../../engine/embedded/storage/capabilities.ts';
import type { Branch, IndexBranches } from '../../engine/port/index-branches.ts';
import type { IndexHistory } from '../../engine/port/index-history.ts';
import type { VectorReader, VectorWriter } from '../../engine/port/reader-and-writer.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { NEW_INDEX, OWNER } from '../indexes/testing/control-plane.ts';
import { BranchService } from './branch-service.ts';

const INDEX: Index = {
  ...NEW_INDEX,
  ...{ id: 'index-1', projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};

const EMBED: IndexEmbedding = {
  ...{ model: 'm', textField: 'text', writeParameters: {}, readParameters: {} },
  ...{ source: { provider: 'test', revision: '1' }, remaking: null },
};

/** Records of the source. */
const SHOWN = 7;

describe('branches', () => {
  let created = 0;
  let onCreate = () => {};
  let dropped: string[] = [];
  let isAlias = false;
  let onLook = () => {};
  let catalog: Catalog;
  let index = INDEX;
  let service: BranchService;
  let isFull = false;
  const branch: Branch = {
    ...{ name: 'b', source: 'n', baseLsn: 1, createdMs: 1, state: 'whole', isShared: false },
    ...{ records: 1, ownRecords: 1, ownBytes: 1 },
    ...{ changedRecords: 0, deletedRecords: 0, changedInSource: 0 },
  };

  beforeEach(async () => {
    catalog = await openCatalog({ path: ':memory:' });
    index = INDEX;
    [created, onCreate, dropped] = [0, () => {}, []];
    [isAlias, onLook, isFull] = [false, () => {}, false];
    const { jobs } = catalog;
    service = new BranchService({
      catalog,
      jobs: { enqueue: (job) => jobs.insert(job) },
      indexes: { describe: async () => index },
      aliases: { ...untouched<AliasDirectory>(), shared: () => undefined, isAlias: () => isAlias },
      inference: testInference(),
      admission: { enter: () => null },
      quotas: {
        admitGrowth: async ({ projectId }) => {
          assert.equal(projectId, OWNER.projectId);
          if (isFull) throw fault('quota-exceeded', { max: 1, what: 'records' });
        },
        admitCopy: async ({ projectId }, { recordCount, sizeBytes }, begin) => {
          assert.deepEqual([projectId, recordCount, sizeBytes], [OWNER.projectId, SHOWN, SHOWN * 10]);
          if (isFull) throw fault('quota-exceeded', { max: 1, what: 'records' });
          return begin();
        },
      },
      engine: {
        capabilities: CAPABILITIES,
        history: () => ({
          ...untouched<IndexHistory>(),
          describe: async () => ({ fromLsn: 1, fromMs: 0, toLsn: 9, bytes: 0, changes: 0 }),
          lsnAt: async () => {
            onLook();
            return 5;
          },
        }),
        writer: () => ({
          ...untouched<VectorWriter>(),
          deleteNamespace: async (name) => dropped.push(name),
        }),
        branches: () => ({
          ...untouched<IndexBranches>(),
          list: async () => [branch],
          create: async () => {
            created++;
            onCreate();
            return branch;
          },
        }),
        reader: () => ({
          ...untouched<VectorReader>(),
          lsn: async () => 9,
          describeNamespace: async (name) => {
            const size = { recordCount: SHOWN, sizeBytes: SHOWN * 10 };
            return { name, number: 1, ...size, schema: null, isExplicit: true };
          },
        }),
      },
    });
  });
  afterEach(() => catalog.close());

  it('are not made while vectors are made anew, also where that begins meanwhile', async () => {
    const embed = { ...EMBED, remaking: { provider: 'test', revision: '2' } };
    const remade = { ...INDEX, embed };
    const create = () => service.create(OWNER, INDEX.name, { source: 'n', name: 'b', asOf: null });
    index = { ...INDEX, embed: EMBED };
    assert.equal((await create()).name, 'b');
    onCreate = () => {
      index = remade;
    };
    await assert.rejects(create(), /are being made anew/);
    assert.deepEqual(dropped, ['b']);
    await assert.rejects(create(), /are being made anew/);
    assert.equal(created, 2);
  });

  it('do not get the name of an alias, also where that is made while their moment is looked up', async () => {
    const create = () => service.create(OWNER, INDEX.name, { source: 'n', name: 'b', asOf: { ms: 1 } });
    onLook = () => {
      isAlias = true;
    };
    await assert.rejects(create(), /alias/);
    assert.equal(created, 0);
    [isAlias, onLook] = [false, () => {}];
    await create();
    assert.equal(created, 1);
  });

  it('whose merges are asked for again while a re-embedding waits for them are answered as the first time', async () => {
    const merge = (onConflict: OnConflict) => service.merge(OWNER, INDEX.name, { branch: 'b', onConflict });
    const first = await merge('branch');
    index = { ...INDEX, embed: { ...EMBED, remaking: { provider: 'test', revision: '2' } } };
    assert.deepEqual(await merge('branch'), first);
    const [{ id } = assert.fail('no job')] = await catalog.jobs.active({});
    await catalog.jobs.claim({ owner: 'me', kinds: ['merge-branch'], now: '2026', leaseUntil: '9999' });
    await catalog.jobs.release(id, 'me', { kind: 'completed' }, '2026-01-01T00:00:00.000Z');
    await assert.rejects(merge('branch'), /are being made anew/);
  });

  it('are neither made nor merged beyond a quota, and a merge that is under way is shown all the same', async () => {
    const create = () => service.create(OWNER, INDEX.name, { source: 'n', name: 'b', asOf: null });
    const merge = () => service.merge(OWNER, INDEX.name, { branch: 'b', onConflict: 'branch' });
    isFull = true;
    await assert.rejects(create(), { condition: 'quota-exceeded' });
    await assert.rejects(merge(), { condition: 'quota-exceeded' });
    assert.equal(created, 0);
    assert.deepEqual(await catalog.jobs.active({}), []);
    isFull = false;
    const first = await merge();
    isFull = true;
    assert.deepEqual(await merge(), first);
  });

  it('whose merges are asked for at once have one, and the others are refused that would do something else', async () => {
    const merge = (onConflict: OnConflict) => service.merge(OWNER, INDEX.name, { branch: 'b', onConflict });
    const ended = await Promise.allSettled([merge('branch'), merge('source'), merge('branch')]);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal((await catalog.jobs.active({})).length, 1);
    await assert.rejects(merge('fail'), /another merge of 'b' is under way/);
  });
});
