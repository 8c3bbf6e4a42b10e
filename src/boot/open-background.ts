// Opens the background work: jobs, and the backups, restores, collections and schedules that run as jobs.

import { backupKinds, type OpenBackups, openBackups } from '../app/backups/open-backups.ts';
import { mergeJob } from '../app/branches/merge-job.ts';
import { ExpiredRemover } from '../app/expiry/expired-remover.ts';
import { undoJob } from '../app/history/undo-job.ts';
import { IMPORT_KIND } from '../app/import-export/imports/import-progress.ts';
import { openTransfers, type Transfers } from '../app/import-export/open-transfers.ts';
import type { OpenIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import { ArchiveScrubber } from '../app/integrity/archive-scrubber.ts';
import { checkJob } from '../app/integrity/check-job.ts';
import { CheckService } from '../app/integrity/check-service.ts';
import { jobAccess } from '../app/job-access.ts';
import { mapJob } from '../app/maps/map-job.ts';
import { MapService } from '../app/maps/map-service.ts';
import type { MapStore } from '../app/maps/map-store.ts';
import { type OpenModelChanges, openModelChanges } from '../app/model-changes/open-model-changes.ts';
import { JobMeter } from '../app/monitoring/job-meter.ts';
import type { GrowthQuotas } from '../app/quotas/growth-quotas.ts';
import { reembedJob } from '../app/reembedding/reembed-job.ts';
import { ReembedService } from '../app/reembedding/reembed-service.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Catalog, NodeChanges } from '../catalog/port.ts';
import type { AliasDirectory } from '../domain/aliases/services.ts';
import type { Assistant } from '../domain/assistants/assistant.ts';
import type { Reembeddings } from '../domain/embedding/reembedding.ts';
import type { Inference } from '../domain/inference/port.ts';
import type { IndexChecks } from '../domain/integrity/services.ts';
import type { Job } from '../domain/jobs.ts';
import type { NamespaceMaps } from '../domain/maps/namespace-maps.ts';
import type { VectorStore } from '../engine/port/vector-store.ts';
import { FileMaker } from '../file-formats/exports/file-maker.ts';
import { readInThread } from '../file-formats/imports/source-reader.ts';
import type { Logger } from '../http/request-log.ts';
import { JobRunner } from '../jobs/job-runner.ts';
import { JobFailure, type JobKind } from '../jobs/port.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';
import { openProjector } from '../projection/projector.ts';
import { openExportLocation } from '../storage-locations/open-export-location.ts';
import { AWS_STORAGE } from '../storage-locations/port.ts';
import { blobsLocation } from './open-configured-blobs.ts';
import { type OpenNodes, WRITES } from './open-nodes.ts';
import type { Settings } from './settings.ts';
import { tracedJobs } from './telemetry/traced-jobs.ts';

const MEBIBYTE = 2 ** 20;

/** Runs nothing until `start`; jobs may be stored before. */
export function openJobs(
  catalog: Catalog,
  { jobsMax }: Pick<Settings, 'jobsMax'>,
  logger: Logger,
  onEnd?: (job: Job, outcome: 'completed' | 'failed') => void,
): { readonly jobs: JobRunner; readonly jobMeter: JobMeter } {
  const jobMeter = new JobMeter(() => jobs.kinds);
  const jobs: JobRunner = new JobRunner({
    store: catalog.jobs,
    isAlone: catalog.changes === null,
    parallelMax: jobsMax,
    onFailure: (error, job) => {
      // A failure that is reported to the caller of the job is not a server error.
      const level = error instanceof JobFailure ? 'warn' : 'error';
      logger[level]({ err: error, job: job?.id, kind: job?.kind }, 'a job failed');
    },
    onProgress: (job, event) => {
      if (event !== 'started') onEnd?.(job, event);
      // Its failures are in the log already.
      if (event === 'failed') return jobMeter.addFailure(job);
      const { id, kind, projectId, attempts } = job;
      logger.info({ job: id, kind, project: projectId, attempt: attempts }, `a job ${event}`);
    },
  });
  return { jobs, jobMeter };
}

/** Indexes in Initializing that jobs of an earlier run will fill. */
export async function indexesBeingFilled({ jobs }: Catalog): Promise<ReadonlySet<string>> {
  const active = await jobs.active({});
  return new Set(active.flatMap(({ indexId }) => (indexId === null ? [] : [indexId])));
}

export interface BackgroundParts {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly engine: VectorStore;
  readonly indexes: OpenIndexLifecycle;
  readonly aliases: AliasDirectory;
  readonly jobs: JobRunner;
  readonly mapStore: MapStore;
  readonly inference: Inference;
  readonly logger: Logger;
  readonly tracing: Tracing | null;
  readonly quotas: Pick<GrowthQuotas, 'admitGrowth' | 'admitStart' | 'admitCopy'>;
  readonly settings: TransferSettings & Pick<Settings, 'backupForm'>;
  /** Where nodes have records of their own, else null. */
  readonly nodes: Pick<OpenNodes, 'moveKinds' | 'sweeper'> | null;
  /** Keeps what the catalog knows of an assistant beside its files. */
  readonly noteAssistant: (assistant: Assistant) => Promise<void>;
  /** Kinds of jobs that others have opened. */
  readonly moreKinds: readonly JobKind[];
}

type TransferSettings = Pick<
  Settings,
  | 'importFrom'
  | 'importPublic'
  | 'exportTo'
  | 'privateStorage'
  | 's3Endpoint'
  | 's3Region'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 'scrubMebibytes'
  | 'blobs'
  | 'dataDir'
>;

export interface Background
  extends Pick<OpenBackups, 'backups' | 'collections' | 'schedules'>,
    Pick<Transfers, 'imports' | 'exports'> {
  readonly reembeddings: Reembeddings;
  readonly modelChanges: OpenModelChanges;
  readonly checks: IndexChecks;
  readonly archiveScrubber: Pick<ArchiveScrubber, 'progress'>;
  readonly expired: Pick<ExpiredRemover, 'figures'>;
  readonly maps: NamespaceMaps;
  /** Resumes what an earlier run left unfinished. */
  start(): Promise<void>;
  /**
   * Interrupts running jobs, which resume at the next start.
   * @param deadline when jobs that do not end are left to the next start
   */
  close(deadline: AbortSignal): Promise<void>;
}

export function openBackground(parts: BackgroundParts): Background {
  const { jobs, logger } = parts;
  const backups = openBackups({
    ...parts,
    onFailure: (error) => logger.error({ err: error }, 'checking backup schedules failed'),
  });
  const { indexes } = parts;
  const { nodeId } = parts.catalog;
  const ownIndexes = () =>
    indexes.directory.all().filter(({ placement }) => (placement?.nodeId ?? null) === nodeId);
  const transfers = openTransfers(
    {
      ...parts,
      directory: indexes.directory,
      indexById: (id) => indexes.byId(id),
      uploadsAt: (prefix) => blobsLocation(parts.settings, prefix),
      sharesStorage: parts.catalog.changes !== null,
      readImport: readInThread,
      openExportWriter: (start) => new FileMaker(start),
      openExportLocation,
      ...transferPlaces(parts.settings),
    },
    jobs,
  );
  const reembed = reembedJob({
    ...parts,
    profile: (id) => indexes.directory.profile(id),
    accessTo: jobAccess,
  });
  const modelChanges = openModelChanges({
    ...parts,
    ownIndexes,
    accessTo: jobAccess,
    writes: WRITES,
    onFailure: (error) => logger.error({ err: error }, 'work on a change of a model failed'),
  });
  const { mapStore: maps } = parts;
  const mapService = new MapService({
    ...parts,
    maps,
    ownIndexes,
    indexById: (id) => indexes.byId(id),
    onFailure: (error) => logger.error({ err: error }, 'renewing maps failed'),
  });
  const expired = new ExpiredRemover({
    ...parts,
    indexes: () => ownIndexes(),
    onFailure: (error, { id }) =>
      logger.error({ err: error, indexId: id }, 'removing expired records failed and will be retried'),
  });
  let endSweeping = async () => {};
  const archiveScrubber = new ArchiveScrubber({
    ...parts,
    bytesPerSecond: parts.settings.scrubMebibytes * MEBIBYTE,
    onDamage: ({ id, face, source }, damage) =>
      logger.error({ [face]: id, indexId: source.id, damage }, `a ${face} is damaged`),
    onUnread: ({ id, face }, error) => logger.warn({ [face]: id, err: error }, `a ${face} could not be read`),
    onFailure: (error) => logger.error({ err: error }, 'looking for backups to read failed'),
  });
  const kinds: readonly JobKind[] = [
    ...backupKinds({ ...parts, copyForm: parts.settings.backupForm }, (id) => jobs.cancel(id)),
    ...transfers.kinds.map((kind) => (kind.kind === IMPORT_KIND ? modelChanges.admitted(kind) : kind)),
    modelChanges.admitted(reembed),
    modelChanges.admitted(
      undoJob({ ...parts, profile: (id) => indexes.directory.profile(id), accessTo: jobAccess }),
    ),
    modelChanges.admitted(mergeJob({ ...parts, profile: (id) => indexes.directory.profile(id) })),
    modelChanges.kind,
    checkJob({ ...parts, directory: indexes.directory }),
    mapJob({ ...parts, maps, openProjector, profile: (id) => indexes.directory.profile(id) }),
    ...(parts.nodes?.moveKinds({ alone: modelChanges.alone, noteAssistant: parts.noteAssistant }) ?? []),
    ...parts.moreKinds,
  ];
  return {
    reembeddings: new ReembedService(parts),
    modelChanges,
    checks: new CheckService(parts),
    archiveScrubber,
    expired,
    maps: mapService,
    backups: backups.backups,
    collections: backups.collections,
    schedules: backups.schedules,
    imports: transfers.imports,
    exports: transfers.exports,
    start: async () => {
      await modelChanges.start();
      // What is left over takes space, and nothing else.
      endSweeping = transfers.keepSwept((error) =>
        logger.error({ err: error }, 'removing old uploads and exports failed'),
      );
      await jobs.start(tracedJobs(parts.tracing, currentJobs(parts.catalog.changes, kinds)));
      backups.start();
      mapService.start();
      archiveScrubber.start();
      expired.start();
      parts.nodes?.sweeper.start();
    },
    close: async (deadline) => {
      const others = [parts.nodes?.sweeper, expired, archiveScrubber, backups, mapService];
      await Promise.all([jobs.close(deadline), endSweeping(), ...others.map((each) => each?.close())]);
      await modelChanges.close();
    },
  };
}

/** A job of another node may concern an index that this one has not heard of yet. */
function currentJobs(changes: NodeChanges | null, kinds: readonly JobKind[]): readonly JobKind[] {
  if (changes === null) return kinds;
  return kinds.map((kind) => ({
    ...kind,
    run: async (run) => {
      await changes.catchUp();
      await kind.run(run);
    },
    ...(kind.beforeUndo !== undefined && {
      beforeUndo: async (job) => {
        await changes.catchUp();
        return (await kind.beforeUndo?.(job)) ?? null;
      },
    }),
    ...(kind.undo !== undefined && {
      undo: async (job, outcome) => {
        await changes.catchUp();
        await kind.undo?.(job, outcome);
      },
    }),
  }));
}

function transferPlaces(settings: TransferSettings) {
  const { importFrom, importPublic, exportTo, privateStorage, s3Endpoint, s3Region } = settings;
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = settings;
  const credentials =
    accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey };
  const s3 = { endpoint: s3Endpoint, region: s3Region, credentials, mayBePrivate: privateStorage };
  // With an endpoint of one's own, s3:// means that storage, whose buckets may be open to a private network.
  const publicStorage = importPublic && s3Endpoint === null ? AWS_STORAGE : null;
  return { importFrom: importFrom ?? [], exportTo: exportTo ?? [], s3, publicStorage };
}
