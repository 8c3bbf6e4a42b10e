// Imports that end at any step: killed ones resume and complete, failed and cancelled ones remove their own records
// and no others.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openCatalog } from '../../../catalog/sqlite/open-catalog.ts';
import type { TimeToLive } from '../../../domain/expiry/time-to-live.ts';
import { fault } from '../../../domain/faults.ts';
import { dense } from '../../../engine/conformance/sample-data.ts';
import { JobRunner } from '../../../jobs/job-runner.ts';
import { JobFailure } from '../../../jobs/port.ts';
import { inTime, until } from '../../../platform/testing/until.ts';
import { fakeS3, refuse } from '../../../storage-locations/testing/fake-s3.ts';
import { Crash, chosenSteps, Steps } from '../../backups/testing/crashing-steps.ts';
import { ImportFixture, jobFor, PROFILE, ROWS, SCHEMA } from './testing/import-fixture.ts';

const TTL: TimeToLive = { field: 'expires_at', seconds: null, namespaces: {} };
/** Row 5 of each thousand. */
const WRONG = 4;

const WHOLE = { '': 3, empty: 0, ns: ROWS + 200 - WRONG };
const NOTHING = {};

/** Number of steps of an uninterrupted import. */
async function stepsOf(test: TestContext): Promise<number> {
  const steps = new Steps();
  assert.equal(await new ImportFixture(test).run(steps), null);
  return steps.count;
}

describe('an import', () => {
  it('shows nothing before its end, then everything, including empty namespaces and schemas', async (test) => {
    const world = new ImportFixture(test);
    const { staging } = world.index.writer;
    const { publish } = staging;
    staging.publish = async (owner) => {
      assert.deepEqual(await world.seen(), NOTHING);
      return publish.call(staging, owner);
    };
    assert.equal(await world.run(), null);
    assert.deepEqual(await world.seen(), WHOLE);
    assert.deepEqual((await world.index.reader.describeNamespace('empty'))?.schema, SCHEMA);
    assert.deepEqual([world.details.recordsImported, world.details.rowsRefused], [ROWS + 203 - WRONG, WRONG]);
  });

  it('refuses a namespace with the name of an alias, even of one created meanwhile', async (test) => {
    const early = new ImportFixture(test);
    early.isAlias = (name) => name === 'ns';
    assert.match(String(await early.run()), /ns is in use by a namespace alias/);
    const late = new ImportFixture(test);
    let checks = 0;
    late.isAlias = (name) => name === 'ns' && ++checks > 1;
    assert.match(String(await late.run()), /ns is in use by a namespace alias/);
    assert.deepEqual([await early.seen(), await late.seen()], [NOTHING, NOTHING]);
  });

  it('begins only within the quota, which those before it may have used up, and goes on however it is', async (test) => {
    const world = new ImportFixture(test);
    const refusal = fault('quota-exceeded', { max: 1, what: 'records' });
    let isFull = true;
    world.admitStart = async ({ projectId }) => {
      assert.equal(projectId, PROFILE.projectId);
      if (isFull) throw refusal;
    };
    const error = await world.run();
    assert.ok(error instanceof JobFailure);
    assert.equal(error.message, refusal.message);
    assert.deepEqual(await world.seen(), NOTHING);
    isFull = false;
    const steps = await stepsOf(test);
    assert.ok((await world.run(new Steps(steps - 1))) instanceof Crash);
    isFull = true;
    assert.equal(await world.run(), null);
    assert.deepEqual(await world.seen(), WHOLE);
  });

  it('refuses the name of an alias that is created while it looks at what it publishes', async (test) => {
    const run = async (last: number | null) => {
      const world = new ImportFixture(test);
      const { staging } = world.index.writer;
      const { list } = staging;
      let looks = 0;
      staging.list = () => {
        if (++looks === last) world.isAlias = (name) => name === 'ns';
        return list.call(staging);
      };
      return { failure: await world.run(), looks };
    };
    const { failure, looks } = await run(null);
    assert.equal(failure, null);
    assert.match(String((await run(looks)).failure), /ns is in use by a namespace alias/);
  });

  it('refuses a schema without the field by which records expire, even where that was set meanwhile', async (test) => {
    const early = new ImportFixture(test);
    early.timeToLive = () => TTL;
    assert.match(String(await early.run()), /schema of namespace empty must list 'expires_at'/);
    const late = new ImportFixture(test);
    let asked = 0;
    late.timeToLive = () => (++asked > 2 ? TTL : undefined);
    assert.match(String(await late.run()), /schema of namespace empty must list 'expires_at'/);
    assert.ok(late.details.rowsAccepted > 0, 'the records were staged');
    await late.undo();
    assert.deepEqual([await early.seen(), await late.seen()], [NOTHING, NOTHING]);
  });

  it('fails at once when another node has made an alias of the name', async (test) => {
    const world = new ImportFixture(test);
    world.index.writer.staging.publish = () => {
      throw fault('name-in-use-by-alias', { name: 'ns' });
    };
    const failure = await world.run();
    assert.ok(failure instanceof JobFailure);
    assert.match(failure.message, /ns is in use by a namespace alias/);
  });

  it('refuses a namespace that another import is creating, on whichever node', async (test) => {
    const claim = { planDigest: '', namespaces: ['ns'], place: { file: 0, row: 0, byte: 0 } };
    const progress = { ...claim, accepted: 0, refused: 0, recordsImported: null, isClaim: true };
    const other = { ...jobFor('file:///elsewhere', 'continue'), id: 'import-2', progress };
    const refused = new ImportFixture(test);
    refused.others = [other];
    assert.match(String(await refused.run()), /Import import-2 is creating namespace ns/);
    assert.equal(refused.details.rowsAccepted, 0);
    const world = new ImportFixture(test);
    world.others = [{ ...other, state: 'Undoing' }];
    assert.equal(await world.run(), null);
  });

  it('removes what lost imports have left, and nothing of one that begins meanwhile', async (test) => {
    const world = new ImportFixture(test);
    const { staging } = world.index.writer;
    const left = [{ name: 'left', schema: null }];
    await staging.stage('lost', left);
    world.whileAsked = () => staging.stage('import-2', left);
    assert.equal(await world.run(), null);
    assert.deepEqual(
      staging.list().map(({ owner }) => owner),
      ['import-2'],
    );
  });

  it('is whole after the next run when it is killed at any step', async (test) => {
    for (const step of chosenSteps(await stepsOf(test))) {
      const world = new ImportFixture(test);
      assert.ok((await world.run(new Steps(step))) instanceof Crash, `step ${step}`);
      const seen = await world.seen();
      assert.ok(Object.keys(seen).length === 0 || seen.ns === WHOLE.ns, `step ${step}: half published`);
      assert.equal(await world.run(), null, `step ${step}`);
      assert.deepEqual(await world.seen(), WHOLE, `step ${step}`);
      const { recordsImported, rowsRefused } = world.details;
      assert.deepEqual([recordsImported, rowsRefused, world.errors.size], [ROWS + 203 - WRONG, WRONG, WRONG]);
      assert.deepEqual(world.index.writer.staging.list(), []);
    }
  });

  it('removes its own records and no others when it ends at any step before publishing', async (test) => {
    // The last step is the one after publishing.
    for (const step of chosenSteps(await stepsOf(test)).slice(0, -1)) {
      const world = new ImportFixture(test);
      await world.index.writer.upsert('theirs', [dense('x', [1, 1, 1, 1])]);
      assert.ok((await world.run(new Steps(step))) instanceof Crash);
      await world.index.writer.upsert('ns', [dense('a0', [9, 9, 9, 9])]);
      await world.undo();
      assert.deepEqual(await world.seen(), { ns: 1, theirs: 1 }, `step ${step}`);
      assert.deepEqual(world.index.writer.staging.list(), []);
    }
  });

  it('ends as completed when it is cancelled after its records were published', async (test) => {
    const world = new ImportFixture(test);
    assert.ok((await world.run(new Steps(await stepsOf(test)))) instanceof Crash);
    assert.deepEqual(await world.seen(), WHOLE);
    assert.equal(await world.undoOnce(), 'completed');
    assert.deepEqual(await world.seen(), WHOLE);
    assert.equal(world.details.recordsImported, ROWS + 203 - WRONG);
  });

  it('lets a damaged index go, and removes the uploaded file when it is gone', async (test) => {
    const world = new ImportFixture(test);
    const catalog = await openCatalog({ path: ':memory:' });
    const failed = Promise.withResolvers<void>();
    const runner = new JobRunner({
      ...{ store: catalog.jobs, parallelMax: 1, retryMs: 1 },
      onFailure: () => failed.resolve(),
    });
    test.after(async () => {
      await runner.close();
      await catalog.close();
    });
    const { id, kind, projectId, indexId, subject } = jobFor('', 'continue');
    const input = { uri: '', onError: 'continue', upload: true };
    const job = { id, kind, projectId, indexId, subject, input, createdAt: '2026-01-01T00:00:00.000Z' };
    await catalog.jobs.insert(job);
    await catalog.jobs.cancel(id);
    let isGone = false;
    const removed: string[] = [];
    const remove = async (id: string) => void removed.push(id);
    await runner.start([world.kindOfDamaged(() => isGone, remove)]);
    await inTime(failed.promise, 'the failure of the undo');
    await inTime(runner.endJobsOf(PROFILE.indexId), 'ending the jobs');
    assert.deepEqual(removed, []);
    isGone = true;
    await until(async () => (await catalog.jobs.find(job))?.state === 'Cancelled', 'the end of the undo');
    assert.deepEqual(removed, [id]);
  });

  it('ends as undone, also when its server is killed after the removal of its records', async (test) => {
    const world = new ImportFixture(test);
    // Before publishing.
    assert.ok((await world.run(new Steps((await stepsOf(test)) - 1))) instanceof Crash);
    // Two steps are around the list of what is staged, two around the removal.
    await assert.rejects(world.undoOnce(new Steps(4)), Crash);
    assert.deepEqual(world.index.writer.staging.list(), []);
    assert.equal(await world.undoOnce(), 'undone');
    assert.deepEqual(await world.seen(), NOTHING);
  });

  it('of an earlier release ends as completed where its records are there', async (test) => {
    const world = new ImportFixture(test);
    assert.ok((await world.run(new Steps(await stepsOf(test)))) instanceof Crash);
    world.becomeEarlier(null);
    assert.equal(await world.undoOnce(), 'completed');
    assert.deepEqual(await world.seen(), WHOLE);
  });

  for (const error of [null, 'Namespace ns already exists'])
    it(`of an earlier release ends as undone where that has removed its records: ${error ?? 'cancelled'}`, async (test) => {
      const world = new ImportFixture(test);
      assert.ok((await world.run(new Steps((await stepsOf(test)) - 1))) instanceof Crash);
      world.becomeEarlier(error);
      const { writer } = world.index;
      await writer.staging.drop('import-1');
      // Others have created its namespaces meanwhile.
      for (const namespace of ['', 'ns', 'empty']) {
        const count = error === null ? 1 : 2 * ROWS;
        await writer.upsert(
          namespace,
          Array.from({ length: count }, (_, at) => dense(`other-${at}`, [1, 2, 3, 4])),
        );
      }
      assert.equal(await world.undoOnce(), 'undone');
    });

  it('shows nothing when it is cancelled or fails at a row', async (test) => {
    const cancelled = new ImportFixture(test);
    assert.ok((await cancelled.run(new Steps(), AbortSignal.abort(new Error('cancelled')))) instanceof Error);
    const failed = new ImportFixture(test, 'abort');
    const failure = await failed.run();
    assert.ok(failure instanceof JobFailure);
    assert.match(failure.message, /File ns\/1\.jsonl, row 5 \(id a4\): Vector dimension 1/);
    for (const world of [cancelled, failed]) {
      await world.undo();
      assert.deepEqual(await world.seen(), NOTHING);
    }
  });

  it('keeps records that others write into its namespaces meanwhile, since they are newer', async (test) => {
    const world = new ImportFixture(test);
    const { staging } = world.index.writer;
    const { publish } = staging;
    staging.publish = async (owner) => {
      await world.index.writer.upsert('ns', [dense('a0', [9, 9, 9, 9]), dense('other', [8, 8, 8, 8])]);
      return publish.call(staging, owner);
    };
    assert.equal(await world.run(), null);
    assert.deepEqual(await world.seen(), { ...WHOLE, ns: WHOLE.ns + 1 });
    const records = await world.index.reader.fetch('ns', ['a0', 'other', 'a1']);
    assert.deepEqual(
      records.map(({ values }) => values?.[0]),
      [9, 8, 1],
    );
  });

  it('reads a public bucket, and fails with the reason when it cannot', async (test) => {
    const s3 = await fakeS3();
    test.after(() => s3.close());
    s3.fault = ({ method }, answer) => method === 'HEAD' && answer.writeHead(200).end() === answer;
    const bucket = { uri: 's3://films/in', storage: { endpoint: s3.endpoint, mayBePrivate: true } };
    s3.objects.set('in/ns/1.jsonl', Buffer.from('{"id":"a","values":[1,2,3,4]}\n'));
    const world = new ImportFixture(test, 'abort', bucket);
    assert.equal(await world.run(), null);
    assert.deepEqual(await world.seen(), { ns: 1 });
    s3.fault = (_, answer) => refuse(answer, 403, 'AccessDenied');
    const error = await new ImportFixture(test, 'abort', bucket).run();
    assert.ok(error instanceof JobFailure);
    assert.equal(error.message, 'Could not list s3://films/in/: it refuses access (AccessDenied).');
  });

  it('removes what an import without a job left', async (test) => {
    const world = new ImportFixture(test);
    await world.index.writer.staging.stage('unknown', [{ name: 'ns', schema: null }]);
    assert.equal(await world.run(), null);
    assert.deepEqual(world.index.writer.staging.list(), []);
  });
});
