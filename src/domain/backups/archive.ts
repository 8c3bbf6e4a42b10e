// Archives: what an index held at one moment, put away. Backups and collections are the two faces they have.
import type { Index } from '../index-model.ts';

export type ArchiveFace = 'backup' | 'collection';

/** `Scheduled` is planned and not begun; `Terminating` is being removed. */
export type ArchiveState = 'Scheduled' | 'Initializing' | 'Ready' | 'Failed' | 'Terminating';

/** True counts of what is in it, known once it is Ready. */
export interface ArchiveFigures {
  readonly recordCount: number;
  readonly namespaceCount: number;
  /** What it takes in storage. */
  readonly sizeBytes: number;
}

export interface Archive extends ArchiveFigures {
  readonly id: string;
  readonly face: ArchiveFace;
  readonly projectId: string;
  /** Unique in the project for collections; for backups a label that may be absent. */
  readonly name: string | null;
  readonly description: string | null;
  readonly state: ArchiveState;
  /** The index as it was. */
  readonly source: Index;
  readonly sourceDeletedAt: string | null;
  /** Of the text that lists its parts; null until it is Ready. */
  readonly manifestSha256: string | null;
  /** Of the schedule that made it. */
  readonly scheduleId: string | null;
  /** When it is planned to begin; null once it has. */
  readonly scheduledAt: string | null;
  /** When it is removed; null for never. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

export const NO_FIGURES: ArchiveFigures = { recordCount: 0, namespaceCount: 0, sizeBytes: 0 };
