// Namespaces that an import may not create, and why.
import { isFilterable } from '../../../domain/expiry/check-time-to-live.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Job } from '../../../domain/jobs.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { NewNamespace } from '../../../engine/port/staged-namespaces.ts';
import { JobFailure } from '../../../jobs/port.ts';
import { progressOf } from './import-progress.ts';

/** @throws JobFailure for a schema that keeps filters from the field by which records of the index expire */
export function requireFilterable(
  namespaces: readonly NewNamespace[],
  { timeToLive }: Pick<IndexProfile, 'timeToLive'>,
): void {
  if (timeToLive === undefined) return;
  const other = namespaces.find(({ schema }) => !isFilterable(schema, timeToLive));
  if (other === undefined) return;
  throw new JobFailure(
    `The schema of namespace ${namespaceToShown(other.name)} must list '${timeToLive.field}': filters must be able to use the field by which records of this index expire.`,
  );
}

/** @param others active imports of the index @throws JobFailure */
export function refuseClaimed(others: readonly Job[], claimed: readonly string[]): void {
  const namespaces = new Set(claimed);
  for (const other of others) {
    const shared = progressOf(other)?.namespaces.find((namespace) => namespaces.has(namespace));
    // An import that is being undone only removes what nobody sees.
    if (other.state !== 'Undoing' && shared !== undefined) {
      throw new JobFailure(`Import ${other.id} is creating namespace ${namespaceToShown(shared)}.`);
    }
  }
}

/** Why an import refuses a namespace that is there. */
export function isThere(namespace: string): string {
  return namespace === ''
    ? 'The default namespace has records; an import requires it to be empty.'
    : `Namespace ${namespace} already exists; an import creates its namespaces.`;
}
