// Two sets of vectors of one index: those that answer, and those of another model beside them.
import type { DocumentSchema } from '../document-schema.ts';
import type { IndexEmbedding } from './index-embedding.ts';

/**
 * `Preparing`: the new vectors are being made. `Ready`: they follow every write, and may answer. `Switched`: they answer,
 * and the former ones follow. `Ending`: those that do not answer are being removed.
 */
export const MODEL_CHANGE_STATES = ['Preparing', 'Ready', 'Switched', 'Ending'] as const;
export type ModelChangeState = (typeof MODEL_CHANGE_STATES)[number];

/** What differs between two sets of vectors of an index. */
export interface VectorSet {
  /** Names their folder on disk. */
  readonly storageId: string;
  readonly dimension: number | null;
  readonly embed: IndexEmbedding | null;
  readonly documents: DocumentSchema | null;
}

/** As the index stores it. */
export interface ModelChange {
  readonly state: ModelChangeState;
  /** The vectors that do not answer. */
  readonly standby: VectorSet;
  readonly startedAt: string;
  /** When its state changed last. */
  readonly changedAt: string;
}
