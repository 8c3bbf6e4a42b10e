// Maps from request to points: made by a job, renewed after changes, and removed with what they show.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openFolderBlobs } from '../../blobs/folder/open-folder-blobs.ts';
import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import type { TimeToLive } from '../../domain/expiry/time-to-live.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import { isActive } from '../../domain/jobs.ts';
import { dense, sampleProfile } from '../../engine/conformance/sample-data.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { JobRunner } from '../../jobs/job-runner.ts';
import { until } from '../../platform/testing/until.ts';
import { openProjector } from '../../projection/projector.ts';
import { NEW_INDEX } from '../indexes/testing/control-plane.ts';
import { mapJob } from './map-job.ts';
import { MapService } from './map-service.ts';
import { MapStore } from './map-store.ts';

const DAY_MS = 86_400_000;
const PROFILE = sampleProfile({ metric: 'cosine' });
const INDEX: Index = {
  ...{ ...NEW_INDEX, ...PROFILE },
  ...{ projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
};
const POSITION_BYTES = 4;
const PAGE = { offset: 0, limit: 100, field: null, hasIds: true, hasPositions: true };

let folder: string;
let blobs: Blobs;
let catalog: Catalog;
let engine: ReferenceEngine;
let jobs: JobRunner;
let maps: MapService;
let store: MapStore;
let now: number;
let indexes: readonly Index[];
let failures: unknown[];
let timeToLive: TimeToLive | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinyon-maps-'));
  blobs = await openFolderBlobs(folder);
  catalog = await openCatalog({ path: ':memory:' });
  engine = new ReferenceEngine();
  await engine.createIndex(PROFILE);
  failures = [];
  timeToLive = undefined;
  now = Date.now();
  indexes = [INDEX];
  const onFailure = (error: unknown) => failures.push(error);
  jobs = new JobRunner({ store: catalog.jobs, parallelMax: 1, retryMs: 1, onFailure });
  store = new MapStore(blobs);
  const profile = () => ({ ...profileOf(INDEX), ...(timeToLive !== undefined && { timeToLive }) });
  await jobs.start([mapJob({ engine, maps: store, openProjector, profile })]);
  maps = new MapService({
    ...{ engine, catalog, jobs, onFailure, maps: store },
    indexById: (id) => indexes.find((index) => index.id === id),
    ownIndexes: () => indexes,
    now: () => now,
  });
});

afterEach(async () => {
  await maps.close();
  await jobs.close();
  await catalog.close();
  await blobs.close();
  rmSync(folder, { recursive: true });
});

async function fill(namespace: string, from: number, until: number): Promise<void> {
  const records = Array.from({ length: until - from }, (_, i) => {
    const at = from + i;
    return dense(`r${at}`, [1, at % 2, (at % 7) / 7, (at % 11) / 11], {
      side: at % 2 === 0 ? 'even' : 'odd',
    });
  });
  await engine.writer(PROFILE).upsert(namespace, records);
}

/** Waits until no job of maps is under way. */
async function idle(): Promise<void> {
  await until(async () => !(await catalog.jobs.active({})).some(isActive), 'the job');
}

describe('maps', () => {
  it('are made once, and show each record with its values', async () => {
    await fill('n', 0, 60);
    const before = await maps.describe(INDEX, 'n');
    assert.deepEqual(before, { map: null, isCurrent: false, work: null });
    const [one, other] = await Promise.all([maps.make(INDEX, 'n'), maps.make(INDEX, 'n')]);
    assert.ok(one.work !== null && other.work !== null);
    await idle();
    assert.equal(
      (await catalog.jobs.counts('project-1')).reduce((sum, { jobs: count }) => sum + count, 0),
      1,
    );
    const { map, isCurrent, work } = await maps.describe(INDEX, 'n');
    assert.deepEqual([map?.points, map?.total, isCurrent, work], [60, 60, true, null]);
    const points = await maps.points(INDEX, 'n', { ...PAGE, field: 'side' });
    assert.equal(new Set(points.ids).size, 60);
    const [side] = map?.fields ?? [];
    assert.ok(side?.kind === 'values');
    for (const [at, id] of (points.ids ?? []).entries()) {
      const expected = Number(id.slice(1)) % 2 === 0 ? 'even' : 'odd';
      assert.equal(side.values[(points.codes?.[at] ?? 0) - 1]?.value, expected);
    }
    const rest = await maps.points(INDEX, 'n', { ...PAGE, offset: 50, hasIds: false });
    assert.deepEqual(
      [rest.x?.length, rest.y?.length, rest.ids, rest.codes, rest.count],
      [10, 10, null, null, 60],
    );
    assert.deepEqual(rest.x, points.x?.slice(50));
    const { x, y } = await maps.points(INDEX, 'n', { ...PAGE, hasPositions: false });
    assert.deepEqual([x, y], [null, null]);
    assert.deepEqual(failures, []);
  });

  it('show nothing of other storage, whose namespace of the same name may have been another one', async () => {
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    const others = { ...PROFILE, id: 'other-storage' };
    await engine.createIndex(others);
    await engine.writer(others).upsert('n', [dense('r0', [1, 0, 0, 0])]);
    const moved = { ...INDEX, storageId: others.id };
    await assert.rejects(maps.points(moved, 'n', PAGE), { condition: 'map-not-found' });
    assert.deepEqual(await maps.describe(moved, 'n'), { map: null, isCurrent: false, work: null });
    assert.equal((await blobs.list('maps/', null)).items.length, 0);
  });

  it('go with namespaces that are deleted or replaced without anybody looking, and no others do', async () => {
    for (const name of ['kept', 'deleted', 'replaced']) {
      await fill(name, 0, 20);
      await maps.make(INDEX, name);
      await idle();
    }
    const count = async () => (await blobs.list('maps/', null)).items.length;
    const writer = engine.writer(PROFILE);
    for (const name of ['deleted', 'replaced']) await writer.deleteNamespace(name);
    await fill('replaced', 0, 20);
    indexes = [{ ...INDEX, state: 'Initializing' }];
    await maps.removeLeft();
    assert.equal(await count(), 3);
    indexes = [INDEX];
    await maps.removeLeft();
    assert.equal(await count(), 1);
    assert.equal((await maps.points(INDEX, 'kept', PAGE)).count, 20);
    assert.deepEqual(failures, []);
  });

  it('are not read again to look for those that are left, and never in full', async (test) => {
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    const [file] = (await blobs.list('maps/', null)).items;
    const get = test.mock.method(blobs, 'get');
    await maps.removeLeft();
    const lasts = get.mock.calls.map(({ arguments: [, range] }) => range?.last ?? assert.fail());
    assert.equal(lasts.length, 2);
    assert.ok(Math.max(...lasts) < (file?.bytes ?? 0) - 20 * POSITION_BYTES);
    await maps.removeLeft();
    assert.equal(get.mock.callCount(), 2);
    assert.equal((await maps.points(INDEX, 'n', PAGE)).count, 20);
  });

  it('stay when made anew, or when their index has moved, while others look for those that are left', async (test) => {
    const afterListing = (work: () => Promise<void>) => {
      const reader = engine.reader(PROFILE);
      const list = reader.listNamespaces.bind(reader);
      test.mock.method(reader, 'listNamespaces', async (...args: Parameters<typeof list>) => {
        const page = await list(...args);
        await work();
        return page;
      });
      test.mock.method(engine, 'reader').mock.mockImplementationOnce(() => reader);
    };
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    await engine.writer(PROFILE).deleteNamespace('n');
    afterListing(async () => {
      await fill('n', 0, 30);
      await maps.make(INDEX, 'n');
      await idle();
    });
    await maps.removeLeft();
    assert.equal((await maps.points(INDEX, 'n', PAGE)).count, 30);
    await engine.writer(PROFILE).deleteNamespace('n');
    afterListing(async () => {
      indexes = [{ ...INDEX, storageId: 'other-storage' }];
    });
    await maps.removeLeft();
    assert.equal((await blobs.list('maps/', null)).items.length, 1);
    assert.deepEqual(failures, []);
  });

  it('do not come back with a job whose namespace is deleted when it writes them', async (test) => {
    await fill('n', 0, 20);
    const write = store.write.bind(store);
    test.mock.method(store, 'write', async (...args: Parameters<typeof write>) => {
      await engine.writer(PROFILE).deleteNamespace('n');
      await fill('n', 0, 20);
      await write(...args);
    });
    await maps.make(INDEX, 'n');
    await idle();
    assert.equal((await blobs.list('maps/', null)).items.length, 0);
  });

  it('are renewed in the background after changes, not too often, while people look at them', async () => {
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    await fill('n', 20, 30);
    assert.equal((await maps.describe(INDEX, 'n')).isCurrent, false);
    await maps.renewWatched();
    assert.deepEqual(await catalog.jobs.active({}), []);
    now += 3_600_000;
    await maps.renewWatched();
    await idle();
    const { map, isCurrent } = await maps.describe(INDEX, 'n');
    assert.deepEqual([map?.points, isCurrent], [30, true]);
    await fill('n', 30, 40);
    now += 2 * DAY_MS;
    await maps.renewWatched();
    assert.deepEqual(await catalog.jobs.active({}), []);
  });

  it('go with their namespace and their index, and are made again where a file is damaged', async () => {
    await fill('n', 0, 20);
    await fill('other', 0, 20);
    await maps.make(INDEX, 'n');
    await maps.make(INDEX, 'other');
    await idle();
    const [{ key } = { key: '' }] = (await blobs.list('maps/', null)).items;
    await blobs.put(
      key,
      (async function* () {
        yield new Uint8Array(50);
      })(),
    );
    const details = [await maps.describe(INDEX, 'n'), await maps.describe(INDEX, 'other')];
    assert.equal(details.filter(({ map }) => map === null).length, 1);
    await engine.writer(PROFILE).deleteNamespace('n');
    await maps.renewWatched();
    assert.equal((await blobs.list('maps/', null)).items.length, 1);
    await assert.rejects(maps.describe(INDEX, 'n'), { condition: 'namespace-not-found' });
    indexes = [];
    await maps.removeLeft();
    assert.equal((await blobs.list('maps/', null)).items.length, 0);
  });

  it('show nothing of a deleted namespace', async () => {
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    await engine.writer(PROFILE).deleteNamespace('n');
    await assert.rejects(maps.points(INDEX, 'n', PAGE), { condition: 'namespace-not-found' });
    await fill('n', 0, 1);
    assert.equal((await maps.describe(INDEX, 'n')).map, null);
    await assert.rejects(maps.points(INDEX, 'n', PAGE), { condition: 'map-not-found' });
  });

  it('show nothing of a namespace that was deleted and made again before anybody looked', async () => {
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    await engine.writer(PROFILE).deleteNamespace('n');
    await fill('n', 0, 20);
    await assert.rejects(maps.points(INDEX, 'n', PAGE), { condition: 'map-not-found' });
    assert.equal((await maps.describe(INDEX, 'n')).map, null);
    assert.equal((await blobs.list('maps/', null)).items.length, 0);
    await maps.make(INDEX, 'n');
    await idle();
    assert.equal((await maps.points(INDEX, 'n', PAGE)).count, 20);
  });

  it('are empty where all records have expired, and count none of those that have', async () => {
    await fill('n', 0, 20);
    await maps.make(INDEX, 'n');
    await idle();
    timeToLive = { field: 'until', seconds: null, namespaces: {} };
    const writer = engine.writer(PROFILE);
    for (const [live, points] of [
      [1, 1],
      [0, 0],
    ] as const) {
      const records = Array.from({ length: 20 }, (_, at) =>
        dense(`r${at}`, [1, at % 2, 0, 0], at < live ? {} : { until: 1 }),
      );
      await writer.upsert('n', records);
      await maps.make(INDEX, 'n');
      await idle();
      const { map, isCurrent, work } = await maps.describe(INDEX, 'n');
      assert.deepEqual([map?.points, map?.total, isCurrent, work], [points, points, true, null]);
      assert.deepEqual((await maps.points(INDEX, 'n', PAGE)).ids, live === 0 ? [] : ['r0']);
    }
    assert.deepEqual(failures, []);
  });

  it('refuse pages of what is not there', async () => {
    await fill('n', 0, 20);
    await assert.rejects(maps.points(INDEX, 'n', PAGE), { condition: 'map-not-found' });
    await assert.rejects(maps.make(INDEX, 'none'), { condition: 'namespace-not-found' });
    await maps.make(INDEX, 'n');
    await idle();
    await assert.rejects(maps.points(INDEX, 'n', { ...PAGE, field: 'none' }), {
      condition: 'invalid-argument',
    });
    assert.deepEqual((await maps.points(INDEX, 'n', { ...PAGE, offset: 900 })).x, []);
  });
});
