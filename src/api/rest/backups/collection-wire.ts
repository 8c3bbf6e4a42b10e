// The one place where a collection becomes JSON.
import type { Archive } from '../../../domain/backups/archive.ts';

/** One that could not be made shows as Terminating: it never gets ready, and waits only for being deleted. */
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
