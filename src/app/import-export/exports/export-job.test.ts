// Exports that crash at any step, and storage that fails midway: the next run completes them, or nothing is left.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it, type TestContext } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { type Blobs, BlobsUnavailable } from '../../../blobs/port.ts';
import { openCatalog } from '../../../catalog/sqlite/open-catalog.ts';
import type { Manifest } from '../../../domain/imports/manifest.ts';
import type { Job } from '../../../domain/jobs.ts';
import { dense, sampleProfile } from '../../../engine/conformance/sample-data.ts';
import { readInProcess } from '../../../engine/embedded/in-process-copies.ts';
import { type InProcessIndex, openInProcess } from '../../../engine/embedded/in-process-index.ts';
import { tempFolder } from '../../../engine/embedded/testing/temp-folder.ts';
import type { IndexCopies } from '../../../engine/port/index-copies.ts';
import { FileCutter } from '../../../file-formats/exports/file-cutter.ts';
import { JobRunner } from '../../../jobs/job-runner.ts';
import { JobFailure, type JobRun } from '../../../jobs/port.ts';
import { runningJob } from '../../../jobs/testing/running-job.ts';
import { inTime, until } from '../../../platform/testing/until.ts';
import { untouched } from '../../../platform/testing/untouched.ts';
import { Crash, chosenSteps, Steps } from '../../backups/testing/crashing-steps.ts';
import { exportJob } from './export-job.ts';
import { EXPORT_KIND } from './export-progress.ts';

const PROFILE = sampleProfile({ metric: 'euclidean' });
const NO_S3 = { endpoint: null, region: 'r', credentials: null, mayBePrivate: false };
const RECORDS = 2_400;
/** Small enough for several files per namespace. */
const FILE_BYTES = 20_000;
const BASE = 'exports/export-1/';

/** The exported index; it never changes, so all exports share one. */
interface Exported {
  readonly folder: string;
  readonly index: InProcessIndex;
}

async function fill(folder: string): Promise<Exported> {
  const index = openInProcess(PROFILE, folder);
  for (const [at, name] of ['', 'other'].entries()) {
    const records = Array.from({ length: RECORDS / 2 }, (_, i) => dense(`r${i}`, [i, at, 2, 3]));
    await index.writer.upsert(name, records);
  }
  return { folder, index };
}

class World {
  readonly blobs: Blobs;
  readonly #exported: Exported;
  #job: Job = JOB;
  #namespaceCount = DETAILS.namespaceCount;

  private constructor(exported: Exported, blobs: Blobs) {
    this.#exported = exported;
    this.blobs = blobs;
  }

  static async make(test: TestContext, exported: Exported): Promise<World> {
    const blobs = await openFolderBlobs(join(tempFolder(test), 'blobs'));
    test.after(() => blobs.close());
    return new World(exported, blobs);
  }

  /** Runs the job once from its last checkpoint. @returns the error it threw */
  async run(
    fields: { steps?: Steps; signal?: AbortSignal; blobs?: Partial<Blobs>; namespaceCount?: number } = {},
  ): Promise<unknown> {
    const { steps = new Steps(), signal = new AbortController().signal, blobs = {} } = fields;
    this.#namespaceCount = fields.namespaceCount ?? DETAILS.namespaceCount;
    const checkpoint = async (progress: unknown) => {
      signal.throwIfAborted();
      this.#job = { ...this.#job, progress };
    };
    const run: JobRun = { job: this.#job, signal, percent: () => {}, ...steps.around({ checkpoint }) };
    try {
      const stepped = steps.around({ ...portOf(this.blobs), ...blobs });
      // A read leaves nothing behind, and is no promise.
      await this.#kind({ ...stepped, get: (...words) => this.blobs.get(...words) }).run(run);
      return null;
    } catch (error) {
      return error;
    }
  }

  async undo(): Promise<void> {
    for (let i = 0; i < 2; i++) await this.#kind(this.blobs).undo?.(this.#job, 'Cancelled');
  }

  async files(): Promise<readonly string[]> {
    return (await this.blobs.list('', null)).items.map(({ key }) => key);
  }

  /** Checks that exactly the manifest's files exist. */
  async assertWhole(): Promise<void> {
    const manifest = JSON.parse(await this.#text(`${BASE}manifest.json`)) as Manifest;
    assert.equal(manifest.records, RECORDS);
    assert.ok(manifest.files.length >= 4, `${manifest.files.length} files`);
    for (const { path, sha256 } of manifest.files) {
      const content = await this.#text(`${BASE}${path}`);
      assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    }
    const paths = [...manifest.files.map(({ path }) => `${BASE}${path}`), `${BASE}manifest.json`];
    assert.deepEqual(await this.files(), paths.sort());
  }

  async #text(key: string): Promise<string> {
    return Buffer.concat(await Array.fromAsync(this.blobs.get(key))).toString();
  }

  /** The job to `target`, which is opened anew for each try. */
  kindTo(target: () => Promise<Blobs>) {
    return this.#kind(this.blobs, target);
  }

  #kind(
    blobs: Blobs,
    openLocation = (): Promise<Blobs> => Promise.reject(new Error('this test exports to no address')),
  ) {
    return exportJob({
      blobs,
      rules: { roots: [], s3: NO_S3 },
      profile: () => PROFILE,
      fileBytes: FILE_BYTES,
      openLocation,
      openWriter: (start) => {
        const cutter = new FileCutter(start);
        return { add: (batch) => cutter.add(batch), close: async () => {} };
      },
      engine: {
        copies: () => ({
          ...untouched<IndexCopies>(),
          read: async () => {
            const batches = await readInProcess({ profile: PROFILE, ...this.#exported }, null);
            return {
              ...DETAILS,
              namespaceCount: this.#namespaceCount,
              batches: Readable.from(batches),
              release: async () => {},
            };
          },
        }),
      },
    });
  }
}

const DETAILS = { seq: 1, recordCount: RECORDS, namespaceCount: 2, sizeBytes: 0 };
const JOB: Job = runningJob({
  id: 'export-1',
  kind: EXPORT_KIND,
  projectId: PROFILE.projectId,
  indexId: PROFILE.id,
  input: { uri: null, namespace: null, format: 'jsonl' },
});

/** A plain object, so that tests can replace parts of it. */
function portOf(blobs: Blobs): Blobs {
  return {
    put: (...words) => blobs.put(...words),
    get: (...words) => blobs.get(...words),
    head: (key) => blobs.head(key),
    list: (...words) => blobs.list(...words),
    delete: (key) => blobs.delete(key),
    close: () => blobs.close(),
  };
}

describe('an export', () => {
  const root = mkdtempSync(join(tmpdir(), 'pinyon-export-'));
  let exported: Exported;
  before(async () => {
    exported = await fill(join(root, 'index'));
  });
  after(async () => {
    await exported.index.close();
    rmSync(root, { recursive: true });
  });
  const newWorld = (test: TestContext) => World.make(test, exported);

  async function stepsOf(test: TestContext): Promise<number> {
    const steps = new Steps();
    assert.equal(await (await newWorld(test)).run({ steps }), null);
    return steps.count;
  }

  it('is whole after the next run when it is killed at any step', async (test) => {
    for (const step of chosenSteps(await stepsOf(test))) {
      const world = await newWorld(test);
      assert.ok((await world.run({ steps: new Steps(step) })) instanceof Crash, `step ${step}`);
      assert.equal(await world.run(), null, `step ${step}`);
      await world.assertWhole();
    }
  });

  it('leaves nothing after the undo when it ends at any step', async (test) => {
    for (const step of chosenSteps(await stepsOf(test))) {
      const world = await newWorld(test);
      assert.ok((await world.run({ steps: new Steps(step) })) instanceof Crash, `step ${step}`);
      await world.undo();
      assert.deepEqual(await world.files(), [], `step ${step}`);
    }
  });

  it('stops when it is cancelled while writing a file, and leaves nothing after the undo', async (test) => {
    const world = await newWorld(test);
    const ending = new AbortController();
    const put: Blobs['put'] = (key, content, options) => {
      if (key.includes('part-00001')) ending.abort(new Error('cancelled'));
      return world.blobs.put(key, content, options);
    };
    assert.match(String(await world.run({ signal: ending.signal, blobs: { put } })), /cancelled/);
    await world.undo();
    assert.deepEqual(await world.files(), []);
  });

  it('is refused at its start where it has more namespaces than an import takes', async (test) => {
    const world = await newWorld(test);
    const failure = await world.run({ namespaceCount: 100_001 });
    assert.ok(failure instanceof JobFailure);
    assert.match(failure.message, /^There are 100001 namespaces; one import takes 100000/);
    await world.undo();
    assert.deepEqual(await world.files(), []);
  });

  it('ends with the reason where its target cannot be reached, and does not hold up the deletion of its index', async (test) => {
    const world = await newWorld(test);
    const refused = async () => Promise.reject(new BlobsUnavailable('403 Forbidden'));
    for (const target of [refused, async () => ({ ...portOf(world.blobs), put: refused, head: refused })]) {
      const catalog = await openCatalog({ path: ':memory:' });
      const job = await catalog.jobs.insert({
        ...JOB,
        input: { ...(JOB.input as object), uri: 'file:///x' },
      });
      const runner = new JobRunner({ store: catalog.jobs, parallelMax: 1, retryMs: 1, onFailure: () => {} });
      await runner.start([world.kindTo(target)]);
      await until(async () => (await catalog.jobs.find(job))?.state === 'Failed', 'the failure');
      assert.equal((await catalog.jobs.find(job))?.error, '403 Forbidden');
      await inTime(runner.endJobsOf(PROFILE.id), 'ending the jobs');
      await runner.close();
      await catalog.close();
    }
  });

  it('fails and leaves nothing on storage that is full or loses bytes, wherever that begins', async (test) => {
    const full: Blobs['put'] = async (key, content) => {
      for await (const _ of content) throw new BlobsUnavailable(`The disk is full at ${key}.`);
      return { bytes: 0 };
    };
    for (const at of ['part-00000', 'part-00001', 'manifest']) {
      const world = await newWorld(test);
      const put: Blobs['put'] = (key, ...words) =>
        key.includes(at) ? full(key, ...words) : world.blobs.put(key, ...words);
      const failure = await world.run({ blobs: { put } });
      assert.ok(failure instanceof JobFailure, String(failure));
      assert.match(failure.message, /The disk is full/);
      await world.undo();
      assert.deepEqual(await world.files(), []);
    }
    const world = await newWorld(test);
    const head: Blobs['head'] = async (key) => {
      const fields = await world.blobs.head(key);
      return fields && { ...fields, bytes: fields.bytes - 1 };
    };
    assert.match(String(await world.run({ blobs: { head } })), /bytes in the storage, not/);
  });
});
