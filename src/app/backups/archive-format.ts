// How an archive lies in blobs: one stream in parts, as the engine made it, and a manifest that lists them.
import { createHash } from 'node:crypto';
import type { ArchiveFigures } from '../../domain/backups/archive.ts';
import type { Index } from '../../domain/index-model.ts';

/** 1 was compressed once more; no release wrote it. */
export const ARCHIVE_FORMAT = 2;
/** Parts bound how much a store has to take at once. */
export const PART_BYTES = 256 * 2 ** 20;
/** A manifest of ten thousand parts has about 2 MB. */
export const MANIFEST_BYTES_MAX = 16 * 2 ** 20;

export interface ArchivePart {
  readonly bytes: number;
}

/** Enough to tell what the archive is without the catalog. */
export interface ArchiveManifest extends Pick<ArchiveFigures, 'recordCount' | 'namespaceCount'> {
  readonly format: number;
  readonly archiveId: string;
  readonly createdAt: string;
  readonly source: Index;
  readonly parts: readonly ArchivePart[];
  /** Of the parts together, one after the other. */
  readonly sha256: string;
}

export function archivePrefix(archiveId: string): string {
  return `archives/${archiveId}/`;
}

export function partKey(archiveId: string, number: number): string {
  return `${archivePrefix(archiveId)}part-${String(number).padStart(6, '0')}`;
}

export function manifestKey(archiveId: string): string {
  return `${archivePrefix(archiveId)}manifest.json`;
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What is stored is not what was written; for good. */
export class ArchiveDamaged extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`The archive is damaged: ${reason}.`, { cause });
    this.name = 'ArchiveDamaged';
  }
}
