// Metrics that only the operator sees: of the release, the machine, the main thread and the age of backups.
import type { NewestBackup } from '../../catalog/port.ts';
import type { ArchiveScrub } from '../integrity/archive-scrubber.ts';
import type { ShippingFigures } from '../recovery/log-shipper.ts';
import { LATENCY_BOUNDS } from './latency-histogram.ts';
import { counter, gauge, labelsOf, one } from './metric-families.ts';
import type { ModelFigures } from './model-meter.ts';
import { type Family, histogramSamples } from './prometheus-text.ts';
import type { IndexReading } from './read-metrics.ts';

const MILLISECONDS_PER_SECOND = 1_000;

export interface OperatorReading {
  readonly release: string;
  readonly nodeRelease: string;
  /** Of the file system with the data directory. */
  readonly disk: { readonly sizeBytes: number; readonly freeBytes: number };
  /** How much later than planned the main thread came to its work since the last reading; by quantile. */
  readonly eventLoopDelaySeconds: ReadonlyMap<string, number>;
  /** Null where the system does not tell. */
  readonly filesOpen: number | null;
  readonly filesOpenMax: number | null;
  readonly archiveScrub: ArchiveScrub;
  /** Null where nothing is shipped. */
  readonly recovery: ShippingFigures | null;
  readonly newestBackups: readonly NewestBackup[];
  readonly models: readonly ModelFigures[];
}

export function operatorFamilies(
  reading: OperatorReading,
  indexes: readonly IndexReading[],
): readonly Family[] {
  const { release, nodeRelease, disk, eventLoopDelaySeconds, filesOpen, filesOpenMax, archiveScrub } =
    reading;
  const newest = new Map(reading.newestBackups.map(({ indexId, createdAt }) => [indexId, createdAt]));
  return [
    gauge('pinyon_build_info', 'Always 1; its labels name the releases that run.', [
      { labels: { version: release, node: nodeRelease }, value: 1 },
    ]),
    ...modelFamilies(reading.models),
    gauge('pinyon_disk_size_bytes', 'Size of the file system with the data directory.', [
      one(disk.sizeBytes),
    ]),
    gauge('pinyon_disk_free_bytes', 'Bytes that the service can still write there.', [one(disk.freeBytes)]),
    gauge(
      'pinyon_event_loop_delay_seconds',
      'How late the main thread came to its work since the last reading.',
      [...eventLoopDelaySeconds].map(([quantile, value]) => ({ labels: { quantile }, value })),
    ),
    gauge('process_open_fds', 'Open files and connections.', filesOpen === null ? [] : [one(filesOpen)]),
    gauge(
      'process_max_fds',
      'Files and connections that may be open.',
      filesOpenMax === null ? [] : [one(filesOpenMax)],
    ),
    counter(
      'pinyon_backup_scrubbed_bytes_total',
      'Bytes of backups and collections read in the background to find damage.',
      [one(archiveScrub.bytes)],
    ),
    gauge(
      'pinyon_backup_scrub_finished_seconds',
      'When all backups and collections had been read in the background, since 1970.',
      archiveScrub.finishedAt === null ? [] : [one(archiveScrub.finishedAt)],
    ),
    ...recoveryFamilies(reading.recovery),
    gauge(
      'pinyon_newest_backup_timestamp_seconds',
      'When the newest backup of the index was made; 0 without one.',
      indexes.map(({ index }) => ({
        labels: { ...labelsOf(index), project_id: index.projectId },
        value: Date.parse(newest.get(index.id) ?? '') / MILLISECONDS_PER_SECOND || 0,
      })),
    ),
  ];
}

function recoveryFamilies(figures: ShippingFigures | null): readonly Family[] {
  if (figures === null) return [];
  const { lagSeconds, bytes, objects, failures, incomplete } = figures;
  return [
    gauge('pinyon_recovery_lag_seconds', 'How long ago the recovery log had everything that was written.', [
      one(lagSeconds),
    ]),
    gauge(
      'pinyon_recovery_incomplete_indexes',
      'Indexes whose present state cannot be recovered before a copy of them is made.',
      [one(incomplete)],
    ),
    counter(
      'pinyon_recovery_shipped_bytes_total',
      'Bytes shipped to the recovery log, without copies of indexes.',
      [one(bytes)],
    ),
    counter('pinyon_recovery_shipped_objects_total', 'Objects shipped to the recovery log.', [one(objects)]),
    counter('pinyon_recovery_failures_total', 'Failures of shipping to the recovery log, each retried.', [
      one(failures),
    ]),
  ];
}

function modelFamilies(models: readonly ModelFigures[]): readonly Family[] {
  const labelled = models.map(({ model, task, ...rest }) => ({ labels: { model, task }, ...rest }));
  return [
    {
      name: 'pinyon_model_duration_seconds',
      type: 'histogram',
      help: 'Time that calls of a model took.',
      samples: labelled.flatMap(({ labels, latency }) =>
        histogramSamples(labels, {
          bounds: LATENCY_BOUNDS,
          counts: latency.buckets,
          sum: latency.milliseconds / MILLISECONDS_PER_SECOND,
        }),
      ),
    },
    counter(
      'pinyon_model_failures_total',
      'Calls of a model that failed.',
      labelled.map(({ labels, failures }) => ({ labels, value: failures })),
    ),
  ];
}
