// Opens the shipping of the recovery log, where the settings ask for it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import type { OpenIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import type { GrowthQuotas } from '../app/quotas/growth-quotas.ts';
import { INDEX_RECOVERY_JOB, indexRecoveryKind, neededMomentOf } from '../app/recovery/index-recovery-job.ts';
import { IndexRecoveryService } from '../app/recovery/index-recovery-service.ts';
import { LogShipper, type ShippingFigures } from '../app/recovery/log-shipper.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Catalog } from '../catalog/port.ts';
import type { IndexRecoveries } from '../domain/recovery/services.ts';
import type { VectorStore } from '../engine/port/vector-store.ts';
import type { Logger } from '../http/request-log.ts';
import type { JobKind, JobQueue } from '../jobs/port.ts';
import { INDEXES_FOLDER } from './data-dir.ts';
import type { Settings } from './settings.ts';
import { StartProblem } from './start-problems.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

export interface Recovery {
  readonly recoveries: IndexRecoveries;
  readonly kinds: readonly JobKind[];
  readonly start: () => void;
  /** Null where nothing is shipped. */
  readonly figures: () => ShippingFigures | null;
  /** Ships what is left, until the deadline. */
  readonly close: (deadline: AbortSignal) => Promise<void>;
}

type RecoverySettings = Pick<Settings, 'recovery' | 'recoverySeconds' | 'recoveryDays' | 'dataDir'>;

export interface RecoveryParts {
  readonly settings: RecoverySettings;
  readonly catalog: Catalog;
  readonly engine: VectorStore;
  readonly blobs: Blobs;
  readonly indexes: OpenIndexLifecycle;
  readonly jobs: JobQueue;
  readonly quotas: Pick<GrowthQuotas, 'admitGrowth' | 'admitStart'>;
  readonly logger: Logger;
}

/** @throws StartProblem */
export function openRecovery(parts: RecoveryParts): Recovery {
  const shipper = parts.settings.recovery ? openShipper(parts) : null;
  return {
    recoveries: new IndexRecoveryService({ ...parts, log: shipper }),
    // A recovery that had begun goes on, also where nothing is shipped any more.
    kinds: kindsOf(parts),
    start: () => shipper?.start(),
    figures: () => shipper?.figures() ?? null,
    close: async (deadline) => shipper?.close(deadline),
  };
}

function openShipper({ settings, catalog, engine, blobs, logger }: RecoveryParts): LogShipper {
  const { logs } = engine;
  if (logs === null || catalog.pages === null)
    throw new StartProblem('PINYON_RECOVERY needs the embedded engine and its catalog. Unset it.');
  return new LogShipper({
    ...{ catalog, blobs, dataDir: settings.dataDir, release: packageJson.version },
    engine: { logs, copies: (profile) => engine.copies(profile) },
    intervalMs: settings.recoverySeconds * SECOND_MS,
    keptMs: settings.recoveryDays * DAY_MS,
    neededMoment: async () => neededMomentOf(await catalog.jobs.active({ kind: INDEX_RECOVERY_JOB })),
    onFailure: (error, what) => logger.warn({ err: error }, what),
    onNewTimeline: (timeline, reason) =>
      logger.info({ timeline, reason }, 'a timeline of the recovery log begins'),
  });
}

function kindsOf({ settings, engine, blobs, indexes, quotas }: RecoveryParts): readonly JobKind[] {
  const { logs } = engine;
  if (logs === null) return [];
  const kind = indexRecoveryKind({
    blobs,
    engine: {
      logs,
      createIndex: (profile) => engine.createIndex(profile),
      copies: (profile) => engine.copies(profile),
    },
    provisioner: indexes,
    isMade: (id) => existsSync(join(settings.dataDir, INDEXES_FOLDER, id)),
    admitStart: (job) => quotas.admitStart(job),
  });
  return [kind];
}
