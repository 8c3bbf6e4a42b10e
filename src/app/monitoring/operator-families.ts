// Metrics that only the operator sees: of the release, the machine, the main thread and the age of backups.
import type { NewestBackup } from '../../catalog/port.ts';
import type { Node } from '../../domain/nodes/node.ts';
import type { ArchiveScrub } from '../integrity/archive-scrubber.ts';
import type { ShippingFigures } from '../recovery/log-shipper.ts';
import { LATENCY_BOUNDS } from './latency-histogram.ts';
import { labelsOf } from './metric-families.ts';
import type { ModelFigures } from './model-meter.ts';
import type { NodeFigures } from './node-meter.ts';
import { counter, type Family, gauge, histogramSamples, one } from './prometheus-text.ts';
import type { IndexReading } from './read-metrics.ts';

const MILLISECONDS_PER_SECOND = 1_000;

export interface OperatorReading {
  readonly release: string;
  readonly nodeRelease: string;
  /** Of the file system with the data directory; null while it is away. */
  readonly disk: { readonly sizeBytes: number; readonly freeBytes: number } | null;
  /** How much later than planned the main thread came to its work since the last reading; by quantile. */
  readonly eventLoopDelaySeconds: ReadonlyMap<string, number>;
  /** Null where the system does not tell. */
  readonly filesOpen: number | null;
  readonly filesOpenMax: number | null;
  /** Null while the catalog does not answer. */
  readonly archiveScrub: ArchiveScrub | null;
  /** Null where nothing is shipped. */
  readonly recovery: ShippingFigures | null;
  readonly newestBackups: readonly NewestBackup[];
  readonly models: readonly ModelFigures[];
  /** Null where nodes have no records of their own. */
  readonly node: NodeFigures | null;
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
    gauge(
      'pinyon_disk_size_bytes',
      'Size of the file system with the data directory.',
      disk === null ? [] : [one(disk.sizeBytes)],
    ),
    gauge(
      'pinyon_disk_free_bytes',
      'Bytes that the service can still write there.',
      disk === null ? [] : [one(disk.freeBytes)],
    ),
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
      archiveScrub === null ? [] : [one(archiveScrub.bytes)],
    ),
    gauge(
      'pinyon_backup_scrub_finished_seconds',
      'When all backups and collections had been read in the background, since 1970.',
      archiveScrub === null || archiveScrub.finishedAt === null ? [] : [one(archiveScrub.finishedAt)],
    ),
    ...recoveryFamilies(reading.recovery),
    ...nodeFamilies(reading.node),
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
  const { lagSeconds, intervalSeconds, bytes, objects, failures, incomplete } = figures;
  return [
    gauge('pinyon_recovery_lag_seconds', 'How long ago the recovery log had everything that was written.', [
      one(lagSeconds),
    ]),
    gauge(
      'pinyon_recovery_interval_seconds',
      'Between two looks for what is to be shipped: PINYON_RECOVERY_SECONDS.',
      [one(intervalSeconds)],
    ),
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

/** What a node tells of itself, and of the others: one that is dead cannot. */
function nodeFamilies(figures: NodeFigures | null): readonly Family[] {
  if (figures === null) return [];
  const { leaseAgeSeconds, forwarded, forwardFailures, moves, nodes } = figures;
  const ofEach = (value: (node: Node) => number) =>
    nodes.map((node) => ({ labels: { node: node.address }, value: value(node) }));
  return [
    gauge(
      'pinyon_node_lease_age_seconds',
      'How long ago this node renewed its lease. It serves nothing of its own from 5 s on.',
      [one(leaseAgeSeconds)],
    ),
    gauge(
      'pinyon_node_alive',
      '1 for a node whose lease holds, as this one knows.',
      ofEach(({ isAlive }) => (isAlive ? 1 : 0)),
    ),
    gauge(
      'pinyon_node_draining',
      '1 for a node that gets nothing new.',
      ofEach(({ isDraining }) => (isDraining ? 1 : 0)),
    ),
    gauge(
      'pinyon_node_placed',
      'Indexes and assistants that a node has.',
      ofEach(({ placed }) => placed),
    ),
    gauge(
      'pinyon_node_memory_free_bytes',
      'Free memory of a node.',
      ofEach(({ memoryFreeBytes }) => memoryFreeBytes),
    ),
    gauge(
      'pinyon_node_disk_free_bytes',
      'Free disk of a node.',
      ofEach(({ diskFreeBytes }) => diskFreeBytes),
    ),
    counter(
      'pinyon_node_forwarded_total',
      'Requests that this node has forwarded, by the node that got them.',
      forwarded.map(({ address, count }) => ({ labels: { node: address }, value: count })),
    ),
    counter(
      'pinyon_node_forward_failures_total',
      'Requests that could not be forwarded, by the node that did not answer.',
      forwardFailures.map(({ address, count }) => ({ labels: { node: address }, value: count })),
    ),
    counter(
      'pinyon_node_moves_total',
      'Moves of indexes and assistants that this node has ended, by how they ended.',
      moves.map(({ outcome, count }) => ({ labels: { outcome }, value: count })),
    ),
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
