// The catalog's port for judgment sets.
import type { JudgmentSet, JudgmentSetSummary } from '../../domain/judgments/judgment-set.ts';

/** A set with the number of its changes, by which two that change it at the same time notice each other. */
export interface StoredJudgmentSet extends JudgmentSet {
  readonly revision: number;
}

export interface JudgmentSetStore {
  /** The sets of an index, by name. */
  list(indexId: string): Promise<readonly JudgmentSetSummary[]>;
  /** Null when the index has no such set. */
  find(indexId: string, id: string): Promise<StoredJudgmentSet | null>;
  /** False when the index is gone. @throws judgment-sets-exhausted, judgment-bytes-exhausted */
  insert(set: StoredJudgmentSet): Promise<boolean>;
  /**
   * Replaces a set whose stored revision is the one before. False when it has another one, or is gone.
   * @throws judgment-bytes-exhausted where it would take more than before
   */
  replace(set: StoredJudgmentSet): Promise<boolean>;
  /** False when there is none. The deletion of an index deletes its sets. */
  delete(indexId: string, id: string): Promise<boolean>;
}
