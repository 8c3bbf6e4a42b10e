// An import of files with some wrong rows into an index, whose job can be ended at any of its steps.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ImportErrorStore } from '../../../../catalog/port.ts';
import type { TimeToLive } from '../../../../domain/expiry/time-to-live.ts';
import { fault } from '../../../../domain/faults.ts';
import type { Inference } from '../../../../domain/inference/port.ts';
import type { Job } from '../../../../domain/jobs.ts';
import { sampleProfile } from '../../../../engine/conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../../../../engine/embedded/in-process-index.ts';
import { CAPABILITIES } from '../../../../engine/embedded/storage/capabilities.ts';
import { stagedName } from '../../../../engine/embedded/storage/staged-names.ts';
import { tempFolder } from '../../../../engine/embedded/testing/temp-folder.ts';
import { unpackRecords } from '../../../../engine/port/packed-records.ts';
import type { StagedNamespaces } from '../../../../engine/port/staged-namespaces.ts';
import { readImport } from '../../../../file-formats/imports/read-source.ts';
import type { AdmitProgress, JobKind, JobRun } from '../../../../jobs/port.ts';
import { runningJob } from '../../../../jobs/testing/running-job.ts';
import { untouched } from '../../../../platform/testing/untouched.ts';
import type { PublicStorage } from '../../../../storage-locations/port.ts';
import { Steps } from '../../../backups/testing/crashing-steps.ts';
import type { AdmitStart } from '../../../quotas/admit-first-start.ts';
import { type ImportJobParts, importJob } from '../import-job.ts';
import { IMPORT_KIND, type ImportProgress, importOf } from '../import-progress.ts';
import type { UploadedFiles } from '../uploaded-files.ts';

/** Of an index whose records have moved to a storage of their own. */
export const PROFILE = { ...sampleProfile({ metric: 'euclidean' }), indexId: 'the-index' };
export const SCHEMA = { fields: { year: { filterable: true as const } } };
/** In the namespace ns, before others of another file. */
export const ROWS = 2_100;
/** An index, and an import of files into it whose job can end at any step. */
export class ImportFixture {
  readonly index: InProcessIndex;
  readonly errors = new Map<number, string>();
  /** True for names of aliases. */
  isAlias = (_: string): boolean => false;
  timeToLive = (): TimeToLive | undefined => undefined;
  admitStart: AdmitStart = () => Promise.resolve();
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
      admitStart: (job) => this.admitStart(job),
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

export function jobFor(uri: string, onError: string): Job {
  return runningJob({
    id: 'import-1',
    kind: IMPORT_KIND,
    projectId: PROFILE.projectId,
    indexId: PROFILE.indexId,
    input: { uri, onError },
  });
}
