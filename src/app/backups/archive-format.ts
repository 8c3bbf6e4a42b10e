// The layout of an archive in blobs: the engine's stream in parts, and a manifest that lists them.
import { createHash } from 'node:crypto';
import type { Archive, ArchiveFigures } from '../../domain/backups/archive.ts';
import type { Index } from '../../domain/index-model.ts';

/** Format 1 had another layer of compression; no release wrote it. */
export const ARCHIVE_FORMAT = 2;
/** Bounds the size of each blob. */
export const PART_BYTES = 256 * 2 ** 20;
/** A manifest of ten thousand parts takes about 2 MB. */
export const MANIFEST_BYTES_MAX = 16 * 2 ** 20;

export interface ArchivePart {
  readonly bytes: number;
}

/** Describes the archive well enough without the catalog. */
export interface ArchiveManifest extends Pick<ArchiveFigures, 'recordCount' | 'namespaceCount'> {
  readonly format: number;
  readonly archiveId: string;
  readonly createdAt: string;
  readonly source: Index;
  readonly parts: readonly ArchivePart[];
  /** Digest of the concatenated parts. */
  readonly sha256: string;
  /** What callers named it; missing in manifests of 0.1.0. */
  readonly labels?: Pick<Archive, 'name' | 'description'>;
}

/** Where all archives lie. */
export const ARCHIVES_PREFIX = 'archives/';

export function archivePrefix(archiveId: string): string {
  return `${ARCHIVES_PREFIX}${archiveId}/`;
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

/** The stored archive differs from the written one; retrying cannot help. */
export class ArchiveDamaged extends Error {
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`The archive is damaged: ${reason}.`, { cause });
    this.name = 'ArchiveDamaged';
    this.reason = reason;
  }
}
