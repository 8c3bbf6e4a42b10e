// The job of an export: reads one consistent snapshot, writes files, verifies counts, and writes the manifest last.
import { type Blobs, BlobsUnavailable } from '../../../blobs/port.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { systemClock } from '../../../domain/expiry/time-to-live.ts';
import { folderFor } from '../../../domain/imports/folder-name.ts';
import {
  checkManifestSize,
  checkNamespaceCount,
  LayoutProblem,
  MANIFEST_NAME,
} from '../../../domain/imports/import-layout.ts';
import {
  MANIFEST_KIND,
  MANIFEST_VERSION,
  type Manifest,
  type ManifestNamespace,
} from '../../../domain/imports/manifest.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Job } from '../../../domain/jobs.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { RecordReading } from '../../../engine/port/index-copies.ts';
import { livePacked } from '../../../engine/port/live-records.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import type { ExportWriter, OpenExportWriter } from '../../../file-formats/port.ts';
import { JobFailure, type JobKind, type JobRun } from '../../../jobs/port.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';
import { SourceProblem } from '../../../storage-locations/port.ts';
import { claimFolder, clearFolder, releaseFolder } from './export-claim.ts';
import { ExportFiles } from './export-files.ts';
import { EXPORT_KIND, exportInputOf, exportProgressOf } from './export-progress.ts';
import { type ExportTarget, openTarget, type TargetParts } from './export-target.ts';

const FILE_BYTES = 256 * 1024 * 1024;
const CHECKPOINT_MS = 1_000;
const PERCENT_UNFINISHED_MAX = 99.9;
/** An export starts over after a crash, since its snapshot is gone. */
const ATTEMPTS_MAX = 3;
/** Storage of others may never be reached again. What is left in the server's own goes with the old exports. */
const UNDO_ATTEMPTS_MAX = 3;

export interface ExportJobParts extends TargetParts {
  readonly engine: Pick<VectorStore, 'copies'>;
  /** What turns batches into bytes of files. */
  readonly openWriter: OpenExportWriter;
  /** Undefined once the index is gone. */
  readonly profile: (indexId: string) => IndexProfile | undefined;
  /** Size at which the next file begins. */
  readonly fileBytes?: number;
}

export function exportJob(parts: ExportJobParts): JobKind {
  return {
    kind: EXPORT_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        await exportIndex(parts, run);
      } catch (error) {
        const isFinal = error instanceof SourceProblem || error instanceof LayoutProblem;
        throw isFinal ? new JobFailure(error.message, error) : error;
      }
    },
    undo: (job) => takeBack(parts, job),
    undoesCompleted: true,
    undoAttemptsMax: UNDO_ATTEMPTS_MAX,
    undoNeedsIndex: false,
  };
}

/** Removes the written files, except where the server may no longer write: there it may not delete either. */
async function takeBack(parts: ExportJobParts, job: Job): Promise<void> {
  let target: ExportTarget;
  try {
    target = await openTarget(parts, { id: job.id, uri: exportInputOf(job).uri });
  } catch (error) {
    if (error instanceof SourceProblem) return;
    throw error;
  }
  try {
    await clearFolder(target, job.id, exportProgressOf(job) !== null);
  } finally {
    await target.close();
  }
}

async function exportIndex(parts: ExportJobParts, run: JobRun): Promise<void> {
  const { uri, namespace } = exportInputOf(run.job);
  const profile = parts.profile(run.job.indexId ?? '');
  if (profile === undefined) throw new JobFailure('The index was deleted.');
  const target = await openTarget(parts, { id: run.job.id, uri });
  try {
    const hasBegun = exportProgressOf(run.job) !== null;
    await claimFolder(target, run.job.id, hasBegun);
    if (!hasBegun) await run.checkpoint({ hasBegun: true, records: 0, bytes: 0 });
    const { signal } = run;
    const requested = { signal, ...(namespace === null ? {} : { namespace }) };
    // Open snapshots are limited, and backups use them, too.
    const reading = await retryWhileOverloaded(signal, () => parts.engine.copies(profile).read(requested));
    try {
      // The default namespace always exists, even empty.
      if (namespace !== null && namespace !== '' && reading.namespaceCount === 0)
        throw new JobFailure(`Namespace ${namespace} does not exist.`);
      // What no import takes is not written for hours first.
      checkNamespaceCount(reading.namespaceCount);
      const { format } = exportInputOf(run.job);
      const sink = parts.openWriter({
        format,
        documents: profile.documents,
        fileBytes: parts.fileBytes ?? FILE_BYTES,
      });
      await writeFiles({ target, run, reading, profile, sink });
    } finally {
      await reading.release();
    }
  } catch (error) {
    run.signal.throwIfAborted();
    throw error;
  } finally {
    await target.close();
  }
}

interface Writing {
  readonly target: ExportTarget;
  readonly run: JobRun;
  readonly reading: RecordReading;
  readonly profile: IndexProfile;
  readonly sink: ExportWriter;
}

async function writeFiles({ target, run, reading, profile, sink }: Writing): Promise<void> {
  const { format } = exportInputOf(run.job);
  const files = new ExportFiles(target.blobs, target.base, run.signal);
  const namespaces: (ManifestNamespace & { readonly expected: number })[] = [];
  let records = 0;
  let ofNamespace = 0;
  let savedAt = performance.now();
  const now = systemClock();
  /** Records that had expired when the export began. */
  const expired = { all: 0, ofNamespace: 0 };
  try {
    for await (const batch of reading.batches) {
      run.signal.throwIfAborted();
      const name = namespaceToShown(batch.namespace.name);
      const folder = folderFor(name);
      // Read first: the writer takes over the buffers.
      const before = batch.records.count;
      const live = livePacked(batch.records, profile.timeToLive, now);
      const { count } = live;
      expired.all += before - count;
      expired.ofNamespace += before - count;
      await files.take(await sink.add({ folder, records: live, isLast: batch.isLast }));
      records += count;
      ofNamespace += count;
      if (batch.isLast) {
        const { schema, recordCount, isExplicit: explicit } = batch.namespace;
        const expected = recordCount - expired.ofNamespace;
        expired.ofNamespace = 0;
        namespaces.push({
          name,
          folder,
          records: ofNamespace,
          explicit,
          ...(schema !== null && { schema }),
          expected,
        });
        ofNamespace = 0;
      }
      run.percent(Math.min(PERCENT_UNFINISHED_MAX, (100 * records) / Math.max(1, reading.recordCount)));
      if (performance.now() - savedAt < CHECKPOINT_MS) continue;
      await run.checkpoint({ hasBegun: true, records, bytes: bytesOf(files) });
      savedAt = performance.now();
    }
    checkCounts({ namespaces, files, expected: reading.recordCount - expired.all });
    await writeManifest(target.blobs, target.base, {
      kind: MANIFEST_KIND,
      version: MANIFEST_VERSION,
      id: run.job.id,
      createdAt: new Date().toISOString(),
      format,
      index: {
        name: profile.name,
        vectorType: profile.vectorType,
        metric: profile.metric,
        dimension: profile.dimension,
        ...(profile.documents !== null && { fields: kindsOf(profile.documents) }),
      },
      records,
      bytes: bytesOf(files),
      namespaces: namespaces.map(({ expected: _, ...namespace }) => namespace),
      files: files.files,
    });
    await run.checkpoint({ hasBegun: true, records, bytes: bytesOf(files) });
    await releaseFolder(target);
  } catch (error) {
    await files.abandon(error);
    throw error instanceof BlobsUnavailable ? new JobFailure(error.message, error) : error;
  } finally {
    await sink.close();
  }
}

/** Verifies the counts of all files, so that an incomplete export is never reported as complete. */
function checkCounts(counts: {
  readonly namespaces: readonly {
    readonly name: string;
    readonly records: number;
    readonly expected: number;
  }[];
  readonly files: ExportFiles;
  readonly expected: number;
}): void {
  const short = counts.namespaces.find(({ records, expected }) => records !== expected);
  if (short !== undefined) {
    throw new Error(`Namespace ${short.name} gave ${short.records} records of ${short.expected}.`);
  }
  const inFiles = counts.files.files.reduce((sum, { records }) => sum + records, 0);
  if (inFiles !== counts.expected) throw new Error(`${inFiles} records of ${counts.expected} were written.`);
}

/** The kind of every field, by name. */
function kindsOf({ fields }: DocumentSchema): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).map(([name, { kind }]) => [name, kind]));
}

function bytesOf({ files }: ExportFiles): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Written last: a folder without a manifest is not a complete export. @throws LayoutProblem */
async function writeManifest(blobs: Blobs, base: string, manifest: Manifest): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  checkManifestSize(bytes.length);
  await blobs.put(
    `${base}${MANIFEST_NAME}`,
    (async function* () {
      yield bytes;
    })(),
  );
}
