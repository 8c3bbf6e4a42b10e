// Archives: the content of an index at one moment. Callers see them as backups or collections.
import type { Index } from '../index-model.ts';

export type ArchiveFace = 'backup' | 'collection';

/** `Scheduled` means planned but not begun; `Terminating` means being removed. */
export type ArchiveState = 'Scheduled' | 'Initializing' | 'Ready' | 'Failed' | 'Terminating';

/** Exact counts of its content, known once it is Ready. */
export interface ArchiveFigures {
  readonly recordCount: number;
  readonly namespaceCount: number;
  /** Its size in storage. */
  readonly sizeBytes: number;
}

export interface Archive extends ArchiveFigures {
  readonly id: string;
  readonly face: ArchiveFace;
  readonly projectId: string;
  /** For collections, unique in the project; for backups, an optional label. */
  readonly name: string | null;
  readonly description: string | null;
  readonly state: ArchiveState;
  /** The index at the time of the archive. */
  readonly source: Index;
  readonly sourceDeletedAt: string | null;
  /** Digest of the manifest, which lists its parts; null until it is Ready. */
  readonly manifestSha256: string | null;
  /** The schedule that created it. */
  readonly scheduleId: string | null;
  /** When it is planned to begin; null once it has. */
  readonly scheduledAt: string | null;
  /** When it will be removed; null for never. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

export const NO_FIGURES: ArchiveFigures = { recordCount: 0, namespaceCount: 0, sizeBytes: 0 };
