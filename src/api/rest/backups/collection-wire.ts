// The wire form of collections.
import type { Archive } from '../../../domain/backups/archive.ts';

/** A failed collection shows as Terminating: it never gets ready and can only be deleted. */
export function collectionToWire(archive: Archive): Readonly<Record<string, unknown>> {
  const { name, source, state } = archive;
  const environment = source.deployment.kind === 'pod' ? source.deployment.environment : '';
  const details = { name, status: state === 'Failed' ? 'Terminating' : state, environment };
  if (state !== 'Ready') return details;
  return {
    ...details,
    size: archive.sizeBytes,
    ...(source.dimension === null ? {} : { dimension: source.dimension }),
    vector_count: archive.recordCount,
  };
}
