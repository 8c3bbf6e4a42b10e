// The storage of indexes as it lies there, without opening any index: for checks while no server runs.
import type { FoundDescription } from '../../domain/index-description.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { CheckProgress, IndexCheck } from '../../domain/integrity/index-check.ts';

export interface StorageInspection {
  /** The ids of all indexes that have storage, whether or not the catalog knows them. */
  ids(): readonly string[];
  /** Where the storage of an index lies, for people. */
  placeOf(indexId: string): string;
  description(indexId: string): FoundDescription;
  /** Reads all of an index; yields from time to time. */
  check(index: Pick<IndexProfile, 'id' | 'dimension'>): Generator<CheckProgress, IndexCheck>;
}
