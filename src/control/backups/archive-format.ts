// How an archive lies in blobs: parts of one stream, each compressed by itself, and a manifest that lists them.
import { createHash } from 'node:crypto';
import { constants } from 'node:zlib';
import type { ArchiveFigures } from '../../domain/backups/archive.ts';
import type { Index } from '../../domain/index-model.ts';

export const ARCHIVE_FORMAT = 1;
/** Of the stream, before compression. Parts bound how much a store has to take at once. */
export const PART_BYTES = 256 * 2 ** 20;
/** A manifest of ten thousand parts has about 2 MB. */
export const MANIFEST_BYTES_MAX = 16 * 2 ** 20;

/** Vectors hardly get smaller, whatever the effort; texts and ids do with the least. */
export const COMPRESSION = {
  chunkSize: 2 ** 20,
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
} as const;

export interface ArchivePart {
  /** Of the stream. */
  readonly bytes: number;
  /** As stored. */
  readonly storedBytes: number;
  /** Of what is stored. */
  readonly sha256: string;
}

/** Enough to tell what the archive is without the catalog. */
export interface ArchiveManifest extends Pick<ArchiveFigures, 'recordCount' | 'namespaceCount'> {
  readonly format: number;
  readonly archiveId: string;
  readonly createdAt: string;
  readonly source: Index;
  readonly compression: 'zstd';
  readonly parts: readonly ArchivePart[];
}

export function archivePrefix(archiveId: string): string {
  return `archives/${archiveId}/`;
}

export function partKey(archiveId: string, number: number): string {
  return `${archivePrefix(archiveId)}part-${String(number).padStart(6, '0')}.zst`;
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
