// What imports and exports ask of an index and of an address before a job is stored.
import { fault, invalid } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import { BadStorageUri, isUnder, parseStorageUri, type StorageLocation } from '../../file-formats/port.ts';

/** @throws wrong-index-kind; `operation` starts the sentence */
export function refuseKinds({ name, deployment, embed }: Index, operation: string): void {
  const why =
    deployment.kind === 'pod' ? 'is a pod-based index' : embed === null ? null : 'embeds its records itself';
  if (why === null) return;
  throw fault('wrong-index-kind', {
    reason: `${operation} is supported on serverless indexes of vectors only; ${name} ${why}`,
  });
}

interface LocationNames {
  readonly field: string;
  readonly setting: string;
}

/** @throws invalid-argument for an address that is malformed or that the server was not told to use */
export function checkLocation(
  uri: string,
  roots: readonly StorageLocation[],
  { field, setting }: LocationNames,
): void {
  let place: StorageLocation;
  try {
    place = parseStorageUri(uri);
  } catch (error) {
    if (!(error instanceof BadStorageUri)) throw error;
    throw invalid(`${field} ${error.message}`);
  }
  if (!isUnder(place, roots)) {
    throw invalid(`${field} is not under an address that the setting ${setting} of this server names`);
  }
}
