// Moves of indexes and assistants from one node to another.
import type { RestoreInput } from '../backups/services.ts';
import type { JobState } from '../jobs.ts';

/**
 * `Copying` sends a snapshot, or reads a backup or files; `Following` sends what has changed since, `Switching` the rest
 * while writes wait.
 */
export type MoveStep = 'Copying' | 'Following' | 'Switching' | 'Done';

export interface MoveProgress {
  readonly step: MoveStep;
  readonly recordsCopied: number;
  /** How long writes waited or were refused, in milliseconds; null until the switch. */
  readonly writesHeldMs: number | null;
}

export interface MoveInput {
  readonly indexName: string;
  readonly toNodeId: string;
}

/** What became of the records of an index that is made anew from a backup. */
export interface MoveSource {
  readonly backupId: string;
  /** All writes that were acknowledged before are in the backup, as ISO 8601; later ones are lost. */
  readonly completeUntil: string;
}

export interface Move extends MoveProgress {
  readonly id: string;
  readonly toNodeId: string;
  /** Null for a move that copies from the node that has it. */
  readonly source: MoveSource | null;
  readonly state: JobState;
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export interface IndexMove extends Move {
  readonly indexName: string;
}

export interface AssistantMove extends Move {
  readonly assistantName: string;
}

export interface AssistantMoveInput {
  readonly assistantName: string;
  readonly toNodeId: string;
}

/** The job that fills an index anew at another node. */
export interface RecoveryInput extends RestoreInput, MoveSource {
  readonly toNodeId: string;
  readonly recordCount: number;
}

/** The LSN that an index which is moved, or made anew, is ahead: more writes than it gets while it is copied, or since. */
export const MOVE_LSN_AHEAD = 2 ** 30;

/** A change that a copy on another node follows. */
export type CopyStep =
  | { readonly kind: 'delete-records'; readonly namespace: string; readonly ids: readonly string[] }
  | { readonly kind: 'drop-namespace'; readonly namespace: string }
  /** Unless it is there. */
  | {
      readonly kind: 'create-namespace';
      readonly namespace: string;
      readonly schema: { readonly fields: Readonly<Record<string, { readonly filterable: true }>> } | null;
    };
