// Composes the services and jobs of backups, restores, collections and schedules.
import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { Backups, Collections, Schedules } from '../../domain/backups/services.ts';
import type { Index } from '../../domain/index-model.ts';
import type { CopyForm } from '../../engine/port/copy-forms.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { JobKind, JobQueue } from '../../jobs/port.ts';
import type { OpenIndexLifecycle } from '../indexes/index-lifecycle.ts';
import { type ArchiveMakerParts, archiveKind, archiveRemovalKind } from './archive-maker.ts';
import { BackupService, type GrowthQuota } from './backup-service.ts';
import { CollectionService } from './collection-service.ts';
import { restoreKinds } from './restorer.ts';
import { ScheduleClock } from './schedule-clock.ts';
import { ScheduleService } from './schedule-service.ts';

export interface BackupParts {
  readonly catalog: Catalog;
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'copies'>;
  readonly indexes: OpenIndexLifecycle;
  /** The form of new backups; default fast. */
  readonly copyForm?: CopyForm;
  /** Runs the jobs of `backupKinds`. */
  readonly jobs: JobQueue;
  readonly quotas?: GrowthQuota;
  /** Called with background failures; the work is retried. */
  readonly onFailure: (error: unknown) => void;
  readonly now?: () => Date;
}

export interface OpenBackups {
  readonly backups: Backups;
  readonly collections: Collections;
  readonly schedules: Schedules;
  /** Starts schedules. Call it once jobs run. */
  start(): void;
  /** Checks schedules now. */
  look(): void;
  close(): Promise<void>;
}

/** The job kinds to register with the job runner. */
export function backupKinds(
  parts: Omit<BackupParts, 'jobs' | 'quotas' | 'onFailure'>,
  cancel: (jobId: string) => Promise<void>,
): readonly JobKind[] {
  const { catalog, blobs, engine, indexes, copyForm } = parts;
  const { archives, jobs } = catalog;
  const { directory } = indexes;
  const maker: ArchiveMakerParts = {
    ...{ archives, jobs, blobs, engine, cancel },
    indexById: (id) => indexes.byId(id),
    ...(copyForm && { copyForm }),
  };
  const restorer = { archives, blobs, engine, directory, provisioner: indexes };
  return [archiveKind(maker), archiveRemovalKind(maker), ...restoreKinds(restorer)];
}

export function openBackups(parts: BackupParts): OpenBackups {
  const { catalog, indexes, jobs, quotas, onFailure, now = () => new Date() } = parts;
  const sourceOf = (indexId: string): Index | undefined => indexes.byId(indexId);
  const clock = new ScheduleClock({ catalog, jobs, sourceOf, now, onFailure });
  const services = { catalog, indexes, jobs, ...(quotas && { quotas }) };
  return {
    backups: new BackupService(services),
    collections: new CollectionService(services),
    schedules: new ScheduleService({ ...services, sourceOf, now, look: () => clock.look() }),
    start: () => clock.start(),
    look: () => clock.look(),
    close: () => clock.close(),
  };
}
