// Opens the shipping of the recovery log, where the settings ask for it.
import { relative, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { LogShipper, type ShippingFigures } from '../app/recovery/log-shipper.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Catalog } from '../catalog/port.ts';
import type { VectorStore } from '../engine/port/vector-store.ts';
import type { Logger } from '../http/request-log.ts';
import type { Settings } from './settings.ts';
import { StartProblem } from './start-problems.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

export interface Recovery {
  readonly start: () => void;
  /** Null where nothing is shipped. */
  readonly figures: () => ShippingFigures | null;
  /** Ships what is left. */
  readonly close: () => Promise<void>;
}

const NONE: Recovery = { start: () => undefined, figures: () => null, close: () => Promise.resolve() };

type RecoverySettings = Pick<
  Settings,
  | 'recovery'
  | 'recoverySeconds'
  | 'recoveryDays'
  | 'blobs'
  | 'dataDir'
  | 'historyHours'
  | 'engine'
  | 'databaseUrl'
>;

/** @throws StartProblem where settings do not go together */
export function checkRecovery(settings: RecoverySettings): void {
  if (!settings.recovery) return;
  const { blobs, historyHours, engine, databaseUrl } = settings;
  if (engine === 'postgres' || databaseUrl !== null)
    throw new StartProblem(
      'PINYON_RECOVERY ships what is in the data directory. For data on PostgreSQL, use the point-in-time recovery of the database instead, and unset PINYON_RECOVERY.',
    );
  if (blobs === null || isInside(settings))
    throw new StartProblem(
      'PINYON_RECOVERY needs PINYON_BLOBS: a bucket, or a folder elsewhere than the data directory, with which it would be lost.',
    );
  if (historyHours === 0)
    throw new StartProblem(
      'PINYON_RECOVERY ships from the histories of indexes: set PINYON_HISTORY_HOURS to 1 or more.',
    );
}

function isInside({ blobs, dataDir }: Pick<Settings, 'blobs' | 'dataDir'>): boolean {
  if (blobs?.kind !== 'folder') return false;
  const way = relative(resolve(dataDir), resolve(blobs.path));
  return way === '' || !way.startsWith('..');
}

export interface RecoveryParts {
  readonly settings: RecoverySettings;
  readonly catalog: Catalog;
  readonly engine: VectorStore;
  readonly blobs: Blobs;
  readonly logger: Logger;
}

/** @throws StartProblem */
export function openRecovery({ settings, catalog, engine, blobs, logger }: RecoveryParts): Recovery {
  if (!settings.recovery) return NONE;
  const { logs } = engine;
  if (logs === null || catalog.pages === null)
    throw new StartProblem('PINYON_RECOVERY needs the embedded engine and its catalog. Unset it.');
  const shipper = new LogShipper({
    ...{ catalog, blobs, dataDir: settings.dataDir, release: packageJson.version },
    engine: { logs, copies: (profile) => engine.copies(profile) },
    intervalMs: settings.recoverySeconds * SECOND_MS,
    keptMs: settings.recoveryDays * DAY_MS,
    onFailure: (error, what) => logger.warn({ err: error }, what),
    onNewTimeline: (timeline, reason) =>
      logger.info({ timeline, reason }, 'a timeline of the recovery log begins'),
  });
  return {
    start: () => shipper.start(),
    figures: () => shipper.figures(),
    close: () => shipper.close(),
  };
}
