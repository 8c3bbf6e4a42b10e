// The job of an import: reads in a thread, writes batch after batch, and stores its progress.
import type { ImportErrorStore, JobStore } from '../../../catalog/port.ts';
import type { IndexEmbedding } from '../../../domain/embedding/index-embedding.ts';
import { Fault } from '../../../domain/faults.ts';
import { IMPORT_ERRORS_KEPT_MAX } from '../../../domain/imports/import-model.ts';
import { type Index, type IndexProfile, indexIdOf } from '../../../domain/index-model.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import type { Job } from '../../../domain/jobs.ts';
import type { ImportEvent, ReadImport, RefusedRow } from '../../../file-formats/port.ts';
import { JobFailure, type JobKind, type JobRun } from '../../../jobs/port.ts';
import { SourceProblem, type SourceRules } from '../../../storage-locations/port.ts';
import { type AdmitStart, admitFirstStart } from '../../quotas/admit-first-start.ts';
import { embedBatch } from './embed-batch.ts';
import { IMPORT_KIND, type ImportProgress, inputOf, progressOf } from './import-progress.ts';
import { ImportStore, type ImportStoreParts } from './import-store.ts';
import { isThere, refuseClaimed, requireFilterable } from './refused-namespaces.ts';
import type { UploadedFiles } from './uploaded-files.ts';

/** Work that a crash may repeat. */
const CHECKPOINT_MS = 1_000;
/** How much longer than it took to store the progress it is not stored again: it has the names of all namespaces. */
const CHECKPOINT_PAUSES = 20;
const PERCENT_UNFINISHED_MAX = 99.9;
/** A crash counts as a start; long imports may survive several. */
const ATTEMPTS_MAX = 10;

export interface ImportJobParts extends ImportStoreParts {
  readonly errors: ImportErrorStore;
  readonly jobs: Pick<JobStore, 'active'>;
  readonly rules: SourceRules;
  readonly uploads: Pick<UploadedFiles, 'source' | 'remove'>;
  readonly inference: Inference;
  /** The plan, then batch after batch. */
  readonly read: ReadImport;
  /** Undefined once the index is gone. */
  readonly profile: (indexId: string) => IndexProfile | undefined;
  /** As the catalog has it; undefined once it is gone. */
  readonly index: (indexId: string) => Pick<Index, 'embed'> | undefined;
  /** True when an index has an alias of this name, which no namespace may have. */
  readonly isAlias: (indexId: string, name: string) => boolean;
  readonly admitStart?: AdmitStart;
}

export function importJob(parts: ImportJobParts): JobKind {
  return {
    kind: IMPORT_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        if (parts.admitStart !== undefined) await admitFirstStart(parts.admitStart, run.job);
        await new ImportRun(parts, run).finish();
      } catch (error) {
        throw error instanceof SourceProblem ? new JobFailure(sourceText(error, run.job), error) : error;
      }
      await removeUpload(parts, run.job);
    },
    beforeUndo: async (job) => {
      const found = await publishedOrNot(parts, job);
      if (found === 'completed') await removeUpload(parts, job);
      return found;
    },
    undo: async (job) => {
      await dropStaged(parts, job);
      await removeUpload(parts, job);
    },
    // What is staged goes with the index, which may be damaged.
    undoNeedsIndex: false,
  };
}

/** Records that are written whole and no longer staged are published. */
async function publishedOrNot(parts: ImportJobParts, job: Job): Promise<'completed' | ImportProgress | null> {
  const progress = progressOf(job);
  if (progress === null || progress.recordsImported === null) return null;
  const isStaged = await ofStore(parts, job, async (store) => (await store.staged()).length > 0);
  if (isStaged === false && (progress.notesRemoval || (await areVisible(parts, job, progress))))
    return 'completed';
  // The removal leaves nothing staged either, and must not look like this.
  return { ...progress, recordsImported: null };
}

/**
 * Whether an import of an earlier release, of which nothing is staged, was published rather than removed. What failed
 * was removed: others may have created its namespaces meanwhile.
 */
async function areVisible(parts: ImportJobParts, job: Job, progress: ImportProgress): Promise<boolean> {
  if (job.error !== null) return false;
  const { signal } = new AbortController();
  let records = 0;
  for (const namespace of progress.namespaces) {
    const count = await ofStore(parts, job, (store) => store.countOf(namespace, signal));
    if (count === null) return false;
    records += count;
  }
  return records >= (progress.recordsImported ?? 0);
}

async function dropStaged(parts: ImportJobParts, job: Job): Promise<void> {
  await ofStore(parts, job, (store) => store.drop());
}

/** Null where the index is gone, which took everything with it. */
async function ofStore<Result>(
  parts: ImportJobParts,
  job: Job,
  work: (store: ImportStore) => Promise<Result>,
): Promise<Result | null> {
  const profile = parts.profile(job.indexId ?? '');
  if (profile === undefined) return null;
  try {
    return await work(new ImportStore(parts, profile, job.id));
  } catch (error) {
    if (error instanceof Fault && error.condition === 'index-not-found') return null;
    throw error;
  }
}

/** Where the server keeps a file that was sent is for the operator. */
function sourceText({ message }: SourceProblem, job: Job): string {
  return inputOf(job).upload === true && message.includes(job.id)
    ? 'The file that was sent cannot be read any more. Send it again.'
    : message;
}

/** What cannot be removed now is removed after a restart. */
async function removeUpload({ uploads }: ImportJobParts, job: Job): Promise<void> {
  if (inputOf(job).upload === true) await uploads.remove(job.id).catch(() => undefined);
}

/** One run of an import, from the start or from the last checkpoint. */
class ImportRun {
  readonly #parts: ImportJobParts;
  readonly #run: JobRun;
  readonly #profile: IndexProfile;
  readonly #store: ImportStore;
  #progress: ImportProgress | null;
  #savedAt = performance.now();
  /** How long it took to store the progress. */
  #saveMs = 0;
  /** Refused rows that are not yet in the catalog. */
  #unsaved: RefusedRow[] = [];
  #percent: number;

  constructor(parts: ImportJobParts, run: JobRun) {
    this.#parts = parts;
    this.#run = run;
    this.#profile = profileFor(parts, run.job);
    this.#store = new ImportStore(parts, this.#profile, run.job.id);
    const progress = progressOf(run.job);
    // A run that came no further begins again.
    this.#progress = progress?.isClaim === true ? null : progress;
    this.#percent = run.job.percent;
  }

  async finish(): Promise<void> {
    if ((this.#progress?.recordsImported ?? null) === null) {
      await this.#read();
      await this.#countAll();
    } else if (this.#progress?.notesRemoval !== true) {
      this.#progress = { ...this.#planned(), notesRemoval: true };
      await this.#save();
    }
    await this.#publish();
  }

  async #read(): Promise<void> {
    const { uri, columns = null, upload = false } = inputOf(this.#run.job);
    const { uploads, rules } = this.#parts;
    const { vectorType, metric, dimension, documents, timeToLive } = this.#profile;
    const textField = this.#embedding()?.textField ?? null;
    const expiry = timeToLive === undefined ? {} : { timeToLive };
    const shape = { vectorType, metric, dimension, documents, textField, columns, ...expiry };
    const source = upload ? uploads.source(this.#run.job.id) : { uri, rules };
    const start = { ...source, shape, from: this.#progress };
    for await (const message of this.#parts.read(start, this.#run.signal)) {
      if (message.type === 'plan') await this.#accept(message);
      else await this.#take(message);
    }
  }

  /** Requires that none of the namespaces exists when the import begins. */
  async #accept(plan: Plan): Promise<void> {
    if (this.#progress !== null) return;
    await this.#parts.errors.deleteOrphans();
    await this.#store.sweep(() => this.#active());
    const { planDigest, namespaces, listed } = plan;
    this.#refuseAliases(namespaces);
    const place = { file: 0, row: 0, byte: 0 };
    const begun = { planDigest, namespaces, place, accepted: 0, refused: 0, recordsImported: null };
    // Of two imports with the same namespace one sees the other, and gives up.
    await this.#run.checkpoint({ ...begun, isClaim: true }, (others) => refuseClaimed(others, namespaces));
    for (const namespace of namespaces) {
      this.#run.signal.throwIfAborted();
      const count = await this.#store.countOf(namespace, this.#run.signal);
      const isFree = count === null || (namespace === '' && count === 0);
      if (!isFree) throw new JobFailure(isThere(namespace));
    }
    requireFilterable(listed, profileFor(this.#parts, this.#run.job));
    await this.#store.stage(listed.filter(({ isExplicit }) => isExplicit));
    this.#progress = begun;
    await this.#save();
  }

  async #active(): Promise<ReadonlySet<string>> {
    const active = await this.#parts.jobs.active({ kind: IMPORT_KIND, indexId: indexIdOf(this.#profile) });
    return new Set(active.map(({ id }) => id));
  }

  #refuseAliases(namespaces: readonly string[]): void {
    const alias = namespaces.find((namespace) => this.#parts.isAlias(indexIdOf(this.#profile), namespace));
    if (alias !== undefined) {
      throw new JobFailure(
        `The name ${alias} is in use by a namespace alias; an import creates its namespaces.`,
      );
    }
  }

  async #take(batch: Batch): Promise<void> {
    const progress = this.#planned();
    const { namespace, place, percent } = batch;
    const { records, refused } = await this.#withVectors(batch);
    const [first] = refused;
    if (first !== undefined && inputOf(this.#run.job).onError === 'abort') {
      this.#refuse([first]);
      await this.#save();
      throw new JobFailure(sentenceOf(first));
    }
    if (records !== null) await this.#store.write(namespace, records, this.#run.signal);
    this.#refuse(refused);
    this.#progress = { ...this.#planned(), place, accepted: progress.accepted + (records?.count ?? 0) };
    this.#percent = Math.min(PERCENT_UNFINISHED_MAX, percent);
    this.#run.percent(this.#percent);
    const pause = Math.max(CHECKPOINT_MS, CHECKPOINT_PAUSES * this.#saveMs);
    if (performance.now() - this.#savedAt >= pause) await this.#save();
  }

  /** Keeps the first errors of rows, and all of files: of these there are few, and each may stand for many rows. */
  #refuse(refused: readonly RefusedRow[]): void {
    const progress = this.#planned();
    const before = keptOf(progress);
    const free = Math.max(0, IMPORT_ERRORS_KEPT_MAX - progress.refused);
    const kept = refused.filter(({ row }, at) => at < free || row === null);
    this.#unsaved.push(...kept);
    this.#progress = {
      ...progress,
      refused: progress.refused + refused.length,
      filesUnread: (progress.filesUnread ?? 0) + refused.filter(({ row }) => row === null).length,
      errorsKept: before + kept.length,
    };
  }

  /** Of an index for a model; the text field of an import is the one at its start, or at its latest restart. */
  #embedding(): IndexEmbedding | null {
    return this.#parts.index(this.#run.job.indexId ?? '')?.embed ?? null;
  }

  /** Embeds the texts of documents, and of records of an index for a model. */
  #withVectors(batch: Batch): Promise<Pick<Batch, 'records' | 'refused'>> | Batch {
    const { records, pending } = batch;
    if (records === null || pending.length === 0) return batch;
    const { inference } = this.#parts;
    // The models of the index may have changed since the import began.
    const index = { ...profileFor(this.#parts, this.#run.job), embed: this.#embedding() };
    const { signal } = this.#run;
    return embedBatch({ index, inference, signal }, { ...batch, records });
  }

  /** Reading is over: from now on the result depends only on the written records, whatever happens to the files. */
  async #countAll(): Promise<void> {
    const progress = this.#planned();
    if (progress.accepted === 0 && progress.refused > 0) {
      await this.#save();
      const [first] = await this.#parts.errors.list(this.#run.job.id, { first: 0, limit: 1 });
      throw new JobFailure(`No record could be imported. ${first === undefined ? '' : sentenceOf(first)}`);
    }
    this.#progress = { ...progress, recordsImported: await this.#store.stagedCount(), notesRemoval: true };
    await this.#save();
  }

  /** Safe to repeat after a crash. */
  async #publish(): Promise<void> {
    const staged = await this.#store.staged();
    // An alias may have been created since the plan was made, and a time to live set. Right before the call: an alias
    // that is made later waits for it.
    requireFilterable(staged, profileFor(this.#parts, this.#run.job));
    this.#refuseAliases(this.#planned().namespaces);
    try {
      await this.#store.publish();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // Made by another node, of which this one has not heard.
      if (error.condition === 'name-in-use-by-alias') throw new JobFailure(error.message, error);
      if (error.condition !== 'namespace-exists') throw error;
      const { mergedRecordsMax } = this.#parts.engine.capabilities;
      const meanwhile = `other requests have written more than ${mergedRecordsMax} records to it meanwhile`;
      throw new JobFailure(`${error.message}: ${meanwhile}, which are kept.`, error);
    }
  }

  async #save(): Promise<void> {
    const progress = this.#planned();
    const begin = performance.now();
    // Stores errors first: after a crash in between they are stored again under the same numbers.
    if (this.#unsaved.length > 0) {
      const first = keptOf(progress) - this.#unsaved.length;
      await this.#parts.errors.put(this.#run.job.id, first, this.#unsaved);
      this.#unsaved = [];
    }
    await this.#run.checkpoint(progress);
    this.#savedAt = performance.now();
    this.#saveMs = this.#savedAt - begin;
  }

  #planned(): ImportProgress {
    if (this.#progress === null) throw new Error('an import must have a plan before it has records');
    return this.#progress;
  }
}

type Plan = Extract<ImportEvent, { type: 'plan' }>;
type Batch = Extract<ImportEvent, { type: 'batch' }>;

function profileFor(parts: ImportJobParts, job: Job): IndexProfile {
  const profile = parts.profile(job.indexId ?? '');
  if (profile === undefined) throw new JobFailure('The index was deleted.');
  return profile;
}

function keptOf({ errorsKept, refused }: ImportProgress): number {
  return errorsKept ?? Math.min(refused, IMPORT_ERRORS_KEPT_MAX);
}

function sentenceOf({ file, row, id, reason }: RefusedRow): string {
  const place = row === null ? `File ${file}` : `File ${file}, row ${row}${id === null ? '' : ` (id ${id})`}`;
  return `${place}: ${reason}`;
}
