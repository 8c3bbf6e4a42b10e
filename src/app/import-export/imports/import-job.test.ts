// Imports that end at any step: killed ones resume and complete, failed and cancelled ones remove their own records
// and no others.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ImportErrorStore } from '../../../catalog/port.ts';
import { openCatalog } from '../../../catalog/sqlite/open-catalog.ts';
import type { TimeToLive } from '../../../domain/expiry/time-to-live.ts';
import { fault } from '../../../domain/faults.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import type { Job } from '../../../domain/jobs.ts';
import { dense, sampleProfile } from '../../../engine/conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../../../engine/embedded/in-process-index.ts';
import { CAPABILITIES } from '../../../engine/embedded/storage/capabilities.ts';
import { stagedName } from '../../../engine/embedded/storage/staged-names.ts';
import { tempFolder } from '../../../engine/embedded/testing/temp-folder.ts';
import { unpackRecords } from '../../../engine/port/packed-records.ts';
import type { StagedNamespaces } from '../../../engine/port/staged-namespaces.ts';
import { readImport } from '../../../file-formats/imports/read-source.ts';
import { JobRunner } from '../../../jobs/job-runner.ts';
import { type AdmitProgress, JobFailure, type JobKind, type JobRun } from '../../../jobs/port.ts';
import { inTime, until } from '../../../platform/testing/until.ts';
import { untouched } from '../../../platform/testing/untouched.ts';
import type { PublicStorage } from '../../../storage-locations/port.ts';
import { fakeS3, refuse } from '../../../storage-locations/testing/fake-s3.ts';
import { Crash, chosenSteps, Steps } from '../../backups/testing/crashing-steps.ts';
import { type ImportJobParts, importJob } from './import-job.ts';
import { IMPORT_KIND, type ImportProgress, importOf } from './import-progress.ts';
import type { UploadedFiles } from './uploaded-files.ts';

/** Of an index whose records have moved to a storage of their own. */
const PROFILE = { ...sampleProfile({ metric: 'euclidean' }), indexId: 'the-index' };
const TTL: TimeToLive = { field: 'expires_at', seconds: null, namespaces: {} };
const SCHEMA = { fields: { year: { filterable: true as const } } };
const ROWS = 2_100;
/** Row 5 of each thousand. */
const WRONG = 4;

class World {
  readonly index: InProcessIndex;
  readonly errors = new Map<number, string>();
  /** True for names of aliases. */
  isAlias = (_: string): boolean => false;
  timeToLive = (): TimeToLive | undefined => undefined;
  /** Other active imports of the index, of whichever nodes. */
  others: readonly Job[] = [];
  /** Runs while the active imports are asked for. */
  whileAsked = (): Promise<void> => Promise.resolve();
  readonly #folder: string;
  readonly #publicStorage: PublicStorage | null;
  #job: Job;

  constructor(
    test: TestContext,
    onError = 'continue',
    bucket: { readonly uri: string; readonly storage: PublicStorage } | null = null,
  ) {
    const root = tempFolder(test);
    this.#folder = join(root, 'files');
    this.index = openInProcess(PROFILE, join(root, 'index'));
    test.after(() => this.index.close());
    this.#publicStorage = bucket?.storage ?? null;
    this.#job = jobFor(bucket?.uri ?? `file://${this.#folder}`, onError);
    const lines = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const values = i % 1_000 === 4 ? [1] : [i, 1, 2, 3];
        return `${JSON.stringify({ id: `${prefix}${i}`, values })}\n`;
      }).join('');
    this.#put('ns/1.jsonl', lines('a', ROWS));
    this.#put('ns/2.jsonl', lines('b', 200));
    this.#put('__default__/3.jsonl', lines('c', 3));
    const listed = [['__default__'], ['ns'], ['empty', SCHEMA]] as const;
    const namespaces = listed.map(([name, schema]) => ({ name, folder: name, schema }));
    this.#put('manifest.json', JSON.stringify({ kind: 'pinyon-export', version: 1, namespaces, files: [] }));
  }

  /** Runs the job once from its last checkpoint. @returns the error it threw */
  async run(steps = new Steps(), signal = new AbortController().signal): Promise<unknown> {
    const run: JobRun = {
      job: this.#job,
      signal,
      percent: () => {},
      ...steps.around({
        checkpoint: async (progress: unknown, admit?: AdmitProgress) => {
          signal.throwIfAborted();
          admit?.(this.others);
          this.#job = { ...this.#job, progress };
        },
      }),
    };
    try {
      await importJob(this.#parts(steps)).run(run);
      this.#job = { ...this.#job, state: 'Completed' };
      return null;
    } catch (error) {
      return error;
    }
  }

  async undo(): Promise<void> {
    for (let i = 0; i < 2; i++) await this.undoOnce();
  }

  /** As the job runner does. @returns how the job ends */
  async undoOnce(steps = new Steps()): Promise<'completed' | 'undone'> {
    const kind = importJob(this.#parts(steps));
    const progress = await kind.beforeUndo?.(this.#job);
    if (progress === 'completed') return 'completed';
    if (progress !== null) this.#job = { ...this.#job, progress };
    await kind.undo?.(this.#job, 'Cancelled');
    return 'undone';
  }

  /** Of an index that is damaged until it is gone. */
  kindOfDamaged(isGone: () => boolean, remove: UploadedFiles['remove']): JobKind {
    const parts = this.#parts(new Steps());
    const refuse = () => Promise.reject(fault('index-damaged', { name: PROFILE.name }));
    const staging = () => ({ ...parts.engine.staging(PROFILE), list: refuse, drop: refuse });
    const profile = () => (isGone() ? undefined : PROFILE);
    const uploads = { source: () => assert.fail('the import is not run'), remove };
    return importJob({ ...parts, engine: { ...parts.engine, staging }, profile, uploads });
  }

  get details() {
    return importOf(this.#job);
  }

  /** As an earlier release has left it. @param error why it failed; null when it was cancelled */
  becomeEarlier(error: string | null): void {
    const { notesRemoval: _, ...progress } = this.#job.progress as ImportProgress;
    this.#job = { ...this.#job, state: 'Undoing', progress, error };
  }

  /** The namespaces that a caller sees, with the ids in each. */
  async seen(): Promise<Readonly<Record<string, number>>> {
    const { items } = await this.index.reader.listNamespaces({ prefix: '', limit: 100, after: null });
    return Object.fromEntries(items.map(({ name, recordCount }) => [name, recordCount]));
  }

  #put(path: string, content: string): void {
    const target = join(this.#folder, path);
    mkdirSync(join(target, '..'), { recursive: true });
    writeFileSync(target, content);
  }

  #parts(steps: Steps): ImportJobParts {
    const { reader, writer } = this.index;
    const errors: ImportErrorStore = {
      put: async (_, first, errors) => {
        for (const [at, { reason }] of errors.entries()) this.errors.set(first + at, reason);
      },
      list: async () => [],
      deleteOrphans: async () => {},
    };
    return {
      engine: {
        capabilities: CAPABILITIES,
        reader: () => reader,
        staging: () =>
          steps.around({
            create: (owner, namespaces) => writer.staging.stage(owner, namespaces),
            write: (owner, namespace, records) =>
              writer.upsert(stagedName(owner, namespace), unpackRecords(records)),
            list: async () => writer.staging.list(),
            publish: (owner) => writer.staging.publish(owner),
            drop: (owner) => writer.staging.drop(owner),
          } satisfies StagedNamespaces),
      },
      errors: steps.around(errors),
      jobs: {
        active: async () => {
          await this.whileAsked();
          return [this.#job, ...this.others];
        },
      },
      inference: untouched<Inference>(),
      profile: () => {
        const timeToLive = this.timeToLive();
        return { ...PROFILE, ...(timeToLive !== undefined && { timeToLive }) };
      },
      index: () => ({ embed: null }),
      uploads: untouched<UploadedFiles>(),
      isAlias: (indexId, name) => indexId === PROFILE.indexId && this.isAlias(name),
      rules: {
        roots: [{ kind: 'file', path: this.#folder }],
        s3: NO_S3,
        publicStorage: this.#publicStorage,
      },
      read: (start) => readImport(start, () => {}),
    };
  }
}

const NO_S3 = { endpoint: null, region: 'r', credentials: null, mayBePrivate: false };

function jobFor(uri: string, onError: string): Job {
  return {
    id: 'import-1',
    kind: IMPORT_KIND,
    projectId: PROFILE.projectId,
    indexId: PROFILE.indexId,
    subject: null,
    state: 'Running',
    percent: 0,
    input: { uri, onError },
    progress: null,
    error: null,
    isCancelled: false,
    attempts: 1,
    createdAt: '',
    startedAt: '',
    finishedAt: null,
  };
}

const WHOLE = { '': 3, empty: 0, ns: ROWS + 200 - WRONG };
const NOTHING = {};

/** Number of steps of an uninterrupted import. */
async function stepsOf(test: TestContext): Promise<number> {
  const steps = new Steps();
  assert.equal(await new World(test).run(steps), null);
  return steps.count;
}

describe('an import', () => {
  it('shows nothing before its end, then everything, including empty namespaces and schemas', async (test) => {
    const world = new World(test);
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
    const early = new World(test);
    early.isAlias = (name) => name === 'ns';
    assert.match(String(await early.run()), /ns is in use by a namespace alias/);
    const late = new World(test);
    let checks = 0;
    late.isAlias = (name) => name === 'ns' && ++checks > 1;
    assert.match(String(await late.run()), /ns is in use by a namespace alias/);
    assert.deepEqual([await early.seen(), await late.seen()], [NOTHING, NOTHING]);
  });

  it('refuses a schema without the field by which records expire, even where that was set meanwhile', async (test) => {
    const early = new World(test);
    early.timeToLive = () => TTL;
    assert.match(String(await early.run()), /schema of namespace empty must list 'expires_at'/);
    const late = new World(test);
    let asked = 0;
    late.timeToLive = () => (++asked > 2 ? TTL : undefined);
    assert.match(String(await late.run()), /schema of namespace empty must list 'expires_at'/);
    assert.ok(late.details.rowsAccepted > 0, 'the records were staged');
    await late.undo();
    assert.deepEqual([await early.seen(), await late.seen()], [NOTHING, NOTHING]);
  });

  it('fails at once when another node has made an alias of the name', async (test) => {
    const world = new World(test);
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
    const refused = new World(test);
    refused.others = [other];
    assert.match(String(await refused.run()), /Import import-2 is creating namespace ns/);
    assert.equal(refused.details.rowsAccepted, 0);
    const world = new World(test);
    world.others = [{ ...other, state: 'Undoing' }];
    assert.equal(await world.run(), null);
  });

  it('removes what lost imports have left, and nothing of one that begins meanwhile', async (test) => {
    const world = new World(test);
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
      const world = new World(test);
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
      const world = new World(test);
      await world.index.writer.upsert('theirs', [dense('x', [1, 1, 1, 1])]);
      assert.ok((await world.run(new Steps(step))) instanceof Crash);
      await world.index.writer.upsert('ns', [dense('a0', [9, 9, 9, 9])]);
      await world.undo();
      assert.deepEqual(await world.seen(), { ns: 1, theirs: 1 }, `step ${step}`);
      assert.deepEqual(world.index.writer.staging.list(), []);
    }
  });

  it('ends as completed when it is cancelled after its records were published', async (test) => {
    const world = new World(test);
    assert.ok((await world.run(new Steps(await stepsOf(test)))) instanceof Crash);
    assert.deepEqual(await world.seen(), WHOLE);
    assert.equal(await world.undoOnce(), 'completed');
    assert.deepEqual(await world.seen(), WHOLE);
    assert.equal(world.details.recordsImported, ROWS + 203 - WRONG);
  });

  it('lets a damaged index go, and removes the uploaded file when it is gone', async (test) => {
    const world = new World(test);
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
    const world = new World(test);
    // Before publishing.
    assert.ok((await world.run(new Steps((await stepsOf(test)) - 1))) instanceof Crash);
    // Two steps are around the list of what is staged, two around the removal.
    await assert.rejects(world.undoOnce(new Steps(4)), Crash);
    assert.deepEqual(world.index.writer.staging.list(), []);
    assert.equal(await world.undoOnce(), 'undone');
    assert.deepEqual(await world.seen(), NOTHING);
  });

  it('of an earlier release ends as completed where its records are there', async (test) => {
    const world = new World(test);
    assert.ok((await world.run(new Steps(await stepsOf(test)))) instanceof Crash);
    world.becomeEarlier(null);
    assert.equal(await world.undoOnce(), 'completed');
    assert.deepEqual(await world.seen(), WHOLE);
  });

  for (const error of [null, 'Namespace ns already exists'])
    it(`of an earlier release ends as undone where that has removed its records: ${error ?? 'cancelled'}`, async (test) => {
      const world = new World(test);
      assert.ok((await world.run(new Steps((await stepsOf(test)) - 1))) instanceof Crash);
      world.becomeEarlier(error);
      const { writer } = world.index;
      writer.staging.drop('import-1');
      // Others have created its namespaces meanwhile.
      for (const namespace of ['', 'ns', 'empty']) {
        const count = error === null ? 1 : 2 * ROWS;
        writer.upsert(
          namespace,
          Array.from({ length: count }, (_, at) => dense(`other-${at}`, [1, 2, 3, 4])),
        );
      }
      assert.equal(await world.undoOnce(), 'undone');
    });

  it('shows nothing when it is cancelled or fails at a row', async (test) => {
    const cancelled = new World(test);
    assert.ok((await cancelled.run(new Steps(), AbortSignal.abort(new Error('cancelled')))) instanceof Error);
    const failed = new World(test, 'abort');
    const failure = await failed.run();
    assert.ok(failure instanceof JobFailure);
    assert.match(failure.message, /File ns\/1\.jsonl, row 5 \(id a4\): Vector dimension 1/);
    for (const world of [cancelled, failed]) {
      await world.undo();
      assert.deepEqual(await world.seen(), NOTHING);
    }
  });

  it('keeps records that others write into its namespaces meanwhile, since they are newer', async (test) => {
    const world = new World(test);
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
    const world = new World(test, 'abort', bucket);
    assert.equal(await world.run(), null);
    assert.deepEqual(await world.seen(), { ns: 1 });
    s3.fault = (_, answer) => refuse(answer, 403, 'AccessDenied');
    const error = await new World(test, 'abort', bucket).run();
    assert.ok(error instanceof JobFailure);
    assert.equal(error.message, 'Could not list s3://films/in/: it refuses access (AccessDenied).');
  });

  it('removes what an import without a job left', async (test) => {
    const world = new World(test);
    await world.index.writer.staging.stage('unknown', [{ name: 'ns', schema: null }]);
    assert.equal(await world.run(), null);
    assert.deepEqual(world.index.writer.staging.list(), []);
  });
});
