// Moves of indexes from one node to another.

/** `Copying` sends a snapshot, `Following` what has changed since, `Switching` the rest while writes wait. */
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

export interface Move extends MoveInput, MoveProgress {
  readonly id: string;
  readonly state: 'Pending' | 'Running' | 'Undoing' | 'Completed' | 'Failed' | 'Cancelled';
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** The LSN that a moved index is ahead: more writes than an index gets while it is copied. */
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
