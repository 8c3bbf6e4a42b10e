// One server's catalog, indexes, blobs and jobs, on disk where that matters, with control over everything that can fail.
import { join } from 'node:path';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import type { BlobDetails, Blobs } from '../../../blobs/port.ts';
import type { Index } from '../../../domain/index-model.ts';
import { JobRunner } from '../../../jobs/job-runner.ts';
import type { IndexLifecycleOptions } from '../../indexes/index-lifecycle.ts';
import { ControlPlane } from '../../indexes/testing/control-plane.ts';
import type { GrowthQuota } from '../backup-service.ts';
import { backupKinds, type OpenBackups, openBackups } from '../open-backups.ts';
import { FakeCopies } from './fake-copies.ts';

export interface Running extends Pick<OpenBackups, 'backups' | 'collections' | 'schedules'> {
  readonly indexes: Awaited<ReturnType<ControlPlane['start']>>;
  readonly jobs: JobRunner;
  look(): void;
  stop(): Promise<void>;
}

export class BackupHost {
  readonly plane: ControlPlane;
  readonly copies = new FakeCopies();
  readonly folder: Blobs;
  readonly failures: unknown[] = [];
  /** The storage that jobs use; tests inject faults here. */
  blobs: Blobs;
  now = new Date('2026-01-31T10:00:00.000Z');
  /** Of servers that start from then on. */
  quotas: GrowthQuota | undefined;
  readonly #opened: Running[] = [];

  private constructor(plane: ControlPlane, folder: Blobs) {
    this.plane = plane;
    this.folder = folder;
    this.blobs = folder;
  }

  static async make(): Promise<BackupHost> {
    const plane = await ControlPlane.make();
    return new BackupHost(plane, await openFolderBlobs(join(plane.folder, 'blobs')));
  }

  /** Starts a server on the present state. */
  async start(options: Partial<IndexLifecycleOptions> = {}): Promise<Running> {
    const { catalog } = this.plane;
    const onFailure = (error: unknown): void => void this.failures.push(error);
    const jobs = new JobRunner({ store: catalog.jobs, parallelMax: 2, retryMs: 1, onFailure });
    const active = await catalog.jobs.active({});
    const indexes = await this.plane.start({
      engine: this.copies,
      beingFilled: new Set(active.flatMap(({ indexId }) => (indexId === null ? [] : [indexId]))),
      endWork: (id) => jobs.endJobsOf(id),
      ...options,
    });
    const parts = { catalog, blobs: this.blobs, engine: this.copies, indexes, jobs };
    const { quotas } = this;
    const opened = openBackups({ ...parts, ...(quotas && { quotas }), onFailure, now: () => this.now });
    await jobs.start(backupKinds(parts, (id) => jobs.cancel(id)));
    opened.start();
    const running = {
      ...opened,
      indexes,
      jobs,
      look: opened.look,
      stop: async () => {
        await opened.close();
        await jobs.close();
        await indexes.close();
      },
    };
    this.#opened.push(running);
    return running;
  }

  /** Simulates a killed process: it writes and reports nothing anymore. */
  crash(): void {
    this.#opened.length = 0;
    this.plane.crash();
    this.copies.at = () => Promise.resolve();
  }

  write(index: Index, lines: number, tag = 'record'): void {
    this.copies.stored.set(index.id, Array.from({ length: lines }, (_, at) => `${tag} ${at}`).join('\n'));
  }

  async stored(): Promise<readonly BlobDetails[]> {
    return (await this.folder.list('', null)).items;
  }

  async dispose(): Promise<void> {
    for (const running of this.#opened) await running.stop();
    await this.plane.dispose();
  }
}
