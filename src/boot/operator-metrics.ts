// What the operator's metrics read of the process and the machine, and the key that opens them.
import { hash, timingSafeEqual } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ArchiveScrub } from '../app/integrity/archive-scrubber.ts';
import type { ModelMeter } from '../app/monitoring/model-meter.ts';
import type { NodeFigures } from '../app/monitoring/node-meter.ts';
import type { OperatorReading } from '../app/monitoring/operator-families.ts';
import type { ShippingFigures } from '../app/recovery/log-shipper.ts';
import type { NewestBackup } from '../catalog/port.ts';
import type { MetricsRoutesOptions } from '../http/routes/metrics-routes.ts';
import { openFilesMax } from '../platform/open-files.ts';
import { diskSpace } from './disk-space.ts';
import type { Settings } from './settings.ts';

const RESOLUTION_MS = 10;
const NANOSECONDS_PER_SECOND = 1e9;
const OPEN_FILES = '/proc/self/fd';
const QUANTILES = [0.5, 0.99] as const;
const PERCENT = 100;

export interface OperatorMetricsOptions {
  readonly newestBackups: () => Promise<readonly NewestBackup[]>;
  readonly archiveScrub: () => Promise<ArchiveScrub>;
  /** Null where nothing is shipped. */
  readonly recovery: () => ShippingFigures | null;
  readonly release: string;
  readonly models: Pick<ModelMeter, 'all'>;
  /** Null where nodes have no records of their own. */
  readonly node: () => NodeFigures | null;
  /** False where nobody can read it: measuring delays wakes the main thread a hundred times a second. */
  readonly isWatched: boolean;
}

export function operatorMetrics(
  { metricsKey, dataDir }: Pick<Settings, 'metricsKey' | 'dataDir'>,
  { newestBackups, archiveScrub, recovery, release, models, node, isWatched }: OperatorMetricsOptions,
): MetricsRoutesOptions['operator'] {
  const readDelay = isWatched ? eventLoopDelay() : () => new Map<string, number>();
  return {
    isKey: keyCheck(metricsKey),
    read: async ({ isCatalogAway = false } = {}): Promise<OperatorReading> => {
      return {
        release,
        nodeRelease: process.versions.node,
        disk: await diskSpace(dataDir),
        eventLoopDelaySeconds: readDelay(),
        filesOpen: await filesOpen(),
        filesOpenMax: openFilesMax(),
        models: models.all(),
        node: node(),
        archiveScrub: isCatalogAway ? null : await archiveScrub(),
        recovery: recovery(),
        newestBackups: isCatalogAway ? [] : await newestBackups(),
      };
    },
  };
}

/** Digests have one length, so that the comparison tells nothing about the key. */
function keyCheck(key: string | null): (presented: string | undefined) => boolean {
  if (key === null) return () => false;
  const digest = hash('sha256', key, 'buffer');
  return (presented) =>
    presented !== undefined && timingSafeEqual(hash('sha256', presented, 'buffer'), digest);
}

/** Each reading covers the time since the one before. */
function eventLoopDelay(): () => ReadonlyMap<string, number> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return () => {
    // The histogram counts whole intervals, of which only the excess is delay.
    const seconds = (nanoseconds: number) =>
      Math.max(0, nanoseconds / NANOSECONDS_PER_SECOND - RESOLUTION_MS / 1_000);
    const read = new Map([
      ...QUANTILES.map((quantile): [string, number] => [
        String(quantile),
        seconds(histogram.percentile(PERCENT * quantile)),
      ]),
      ['1', seconds(histogram.max)] as const,
    ]);
    histogram.reset();
    return read;
  };
}

/** Null where the system does not list them. */
async function filesOpen(): Promise<number | null> {
  try {
    return (await readdir(OPEN_FILES)).length;
  } catch {
    return null;
  }
}
