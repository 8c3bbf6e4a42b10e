// What imports and exports check about an index and an address before they store a job.
import { fault, invalid } from '../../domain/faults.ts';
import type { RecordFormat } from '../../domain/imports/record-format.ts';
import type { Index } from '../../domain/index-model.ts';
import {
  BadStorageUri,
  isUnder,
  parseStorageUri,
  type StorageLocation,
} from '../../storage-locations/port.ts';

/** @throws wrong-index-kind with a message that starts with `operation` */
export function refusePods({ name, deployment }: Index, operation: string): void {
  if (deployment.kind !== 'pod') return;
  throw fault('wrong-index-kind', {
    reason: `${operation} is supported on serverless indexes only; ${name} is a pod-based index`,
  });
}

/** @throws wrong-index-kind */
export function refuseExport(index: Index): void {
  refusePods(index, 'Exporting');
  if (index.embed === null) return;
  throw fault('wrong-index-kind', {
    reason: `Exporting is supported on indexes of vectors and documents only; ${index.name} embeds its records itself`,
  });
}

/**
 * The format of an export, as requested or the usual one of the index.
 * @throws wrong-index-kind when some texts are not stored
 */
export function exportFormat({ name, documents }: Index, requested: RecordFormat | null): RecordFormat {
  if (documents === null) return requested ?? 'parquet';
  const unstored = Object.entries(documents.fields).find(
    ([, field]) => field.kind === 'string' && !field.storeText,
  );
  if (unstored === undefined) return requested ?? 'jsonl';
  const why = `field '${unstored[0]}' does not store its texts (store_text is false), so an export would lack them`;
  throw fault('wrong-index-kind', {
    reason: `Index ${name} cannot be exported: ${why}. Make a backup instead`,
  });
}

interface LocationNames {
  readonly field: string;
  readonly setting: string;
  /** True where buckets that no root names may be public ones. */
  readonly mayBePublic?: boolean;
}

/** @throws invalid-argument for an address that is malformed or outside the configured ones */
export function checkLocation(
  uri: string,
  roots: readonly StorageLocation[],
  { field, setting, mayBePublic = false }: LocationNames,
): void {
  let place: StorageLocation;
  try {
    place = parseStorageUri(uri);
  } catch (error) {
    if (!(error instanceof BadStorageUri)) throw error;
    throw invalid(`${field} ${error.message}`);
  }
  if (!isUnder(place, roots) && !(mayBePublic && place.kind === 's3')) {
    throw invalid(`${field} is not under an address that the setting ${setting} of this server names`);
  }
}
