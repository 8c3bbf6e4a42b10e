// Composes the services and jobs of imports and exports.
import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import type { Exports, Imports } from '../../domain/imports/transfer-services.ts';
import type { IndexDirectory } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { OpenExportWriter, ReadImport } from '../../file-formats/port.ts';
import type { JobKind, JobQueue } from '../../jobs/port.ts';
import type {
  OpenExportLocation,
  PublicStorage,
  S3Access,
  SourceRules,
  StorageLocation,
} from '../../storage-locations/port.ts';
import type { GrowthQuotas } from '../quotas/growth-quotas.ts';
import { exportJob } from './exports/export-job.ts';
import { ExportService } from './exports/export-service.ts';
import { removeOldExports } from './exports/old-exports.ts';
import { importJob } from './imports/import-job.ts';
import { IMPORT_KIND } from './imports/import-progress.ts';
import { ImportService } from './imports/import-service.ts';
import { UPLOADS_PREFIX, UploadedFiles } from './imports/uploaded-files.ts';
import { sweepHourly } from './sweep-hourly.ts';

export interface TransferParts {
  readonly catalog: Pick<Catalog, 'jobs' | 'importErrors'>;
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'reader' | 'copies' | 'staging' | 'capabilities'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  /** Undefined once the index is gone. */
  readonly indexById: (indexId: string) => Index | undefined;
  /** Embeds the texts of imported documents and records. */
  readonly inference: Inference;
  readonly aliases: AliasDirectory;
  /** Locations that imports may read from, and that exports may write to. */
  readonly importFrom: readonly StorageLocation[];
  readonly exportTo: readonly StorageLocation[];
  readonly s3: S3Access;
  /** Where files of the server's own storage lie, with a key below this prefix. */
  readonly uploadsAt: (prefix: string) => StorageLocation;
  /** True where other servers use the same storage. */
  readonly sharesStorage: boolean;
  /** Storage whose public buckets imports may read; null for none. */
  readonly publicStorage: PublicStorage | null;
  readonly readImport: ReadImport;
  readonly openExportWriter: OpenExportWriter;
  readonly openExportLocation: OpenExportLocation;
  /** What callers may add. */
  readonly quotas?: Pick<GrowthQuotas, 'admitGrowth' | 'admitStart'>;
}

export interface Transfers {
  readonly imports: Imports;
  readonly exports: Exports;
  /** Removes old exports, and what uploads left that never became imports, now and each hour. @returns ends it */
  keepSwept(onFailure: (error: unknown) => void): () => Promise<void>;
  /** The job kinds to register with the job runner. */
  readonly kinds: readonly JobKind[];
}

export function openTransfers(
  parts: TransferParts,
  jobs: Pick<JobQueue, 'enqueue' | 'cancel' | 'decided'>,
): Transfers {
  const { catalog, blobs, engine, directory, importFrom, exportTo, s3, publicStorage, quotas } = parts;
  const importRules: SourceRules = { roots: importFrom, s3, publicStorage };
  const exportRules: SourceRules = { roots: exportTo, s3 };
  const uploads = new UploadedFiles({
    blobs,
    s3,
    location: parts.uploadsAt(UPLOADS_PREFIX.slice(0, -1)),
    isShared: parts.sharesStorage,
    active: (indexId) => catalog.jobs.active({ kind: IMPORT_KIND, ...(indexId !== null && { indexId }) }),
  });
  const profile = (indexId: string) => directory.profile(indexId);
  const isAlias = (indexId: string, name: string) => parts.aliases.isAlias(indexId, name);
  return {
    imports: new ImportService({
      catalog,
      jobs,
      rules: importRules,
      uploads,
      isAlias,
      ...(quotas && { admitGrowth: (access) => quotas.admitGrowth(access) }),
    }),
    exports: new ExportService({ catalog, jobs, blobs, rules: exportRules, aliases: parts.aliases }),
    keepSwept: (onFailure) =>
      sweepHourly(
        [
          () => uploads.sweep(),
          () => removeOldExports(blobs, Date.now()),
          // Jobs are forgotten after many others, by nobody who knows of imports.
          () => catalog.importErrors.deleteOrphans(),
        ],
        onFailure,
      ),
    kinds: [
      importJob({
        engine,
        profile,
        index: parts.indexById,
        isAlias,
        errors: catalog.importErrors,
        jobs: catalog.jobs,
        rules: importRules,
        uploads,
        read: parts.readImport,
        inference: parts.inference,
        ...(quotas && { admitStart: (job) => quotas.admitStart(job) }),
      }),
      exportJob({
        engine,
        profile,
        blobs,
        rules: exportRules,
        openWriter: parts.openExportWriter,
        openLocation: parts.openExportLocation,
      }),
    ],
  };
}
