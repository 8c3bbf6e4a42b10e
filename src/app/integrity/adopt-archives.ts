// Brings backups and collections that no catalog knows back into the catalog, by the manifests beside their parts.
import { createHash } from 'node:crypto';
import { BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { Archive, Catalog } from '../../catalog/port.ts';
import { parseOwnJson } from '../../domain/json.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVES_PREFIX,
  type ArchiveManifest,
  MANIFEST_BYTES_MAX,
  manifestKey,
  partKey,
  sha256Of,
} from '../backups/archive-format.ts';
import { projectFor } from './project-for.ts';

export interface AdoptedArchive {
  readonly id: string;
  /** The name of the index that it was made of. */
  readonly source: string;
  readonly records: number;
}

/** What lies where an archive should be, but is none that can be restored. */
export interface RefusedArchive {
  readonly id: string;
  readonly reason: string;
}

export interface AdoptedArchives {
  readonly adopted: readonly AdoptedArchive[];
  readonly refused: readonly RefusedArchive[];
}

/**
 * Gives each archive a row, once its content has the digest of its manifest. Backups do not expire then: their
 * schedules are lost with the catalog.
 * @throws BlobsUnavailable, the signal's reason
 */
export async function adoptArchives(
  catalog: Catalog,
  blobs: Blobs,
  signal: AbortSignal,
): Promise<AdoptedArchives> {
  const adopted: AdoptedArchive[] = [];
  const refused: RefusedArchive[] = [];
  for (const id of await archiveIds(blobs)) {
    signal.throwIfAborted();
    if ((await catalog.archives.find(id)) !== null) continue;
    const read = await readWhole(blobs, id, signal);
    if (typeof read === 'string') {
      refused.push({ id, reason: read });
      continue;
    }
    await adoptOne(catalog, read);
    const { source, recordCount } = read.manifest;
    adopted.push({ id, source: source.name, records: recordCount });
  }
  return { adopted, refused };
}

interface WholeArchive {
  readonly manifest: ArchiveManifest;
  readonly manifestSha256: string;
  readonly sizeBytes: number;
}

async function archiveIds(blobs: Blobs): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const { items, next } = await blobs.list(ARCHIVES_PREFIX, cursor);
    for (const { key } of items) ids.add(key.slice(ARCHIVES_PREFIX.length).split('/')[0] ?? '');
    cursor = next;
  } while (cursor !== null);
  return ids;
}

/** @returns why it cannot be adopted, as text */
async function readWhole(blobs: Blobs, id: string, signal: AbortSignal): Promise<WholeArchive | string> {
  try {
    const text = Buffer.concat(await Array.fromAsync(limited(blobs.get(manifestKey(id)))));
    const manifest = manifestOf(text, id);
    if (manifest === null) return 'its manifest is damaged, or of another release';
    const hash = createHash('sha256');
    let sizeBytes = text.length;
    for (const [number] of manifest.parts.entries())
      for await (const piece of blobs.get(partKey(id, number))) {
        signal.throwIfAborted();
        hash.update(piece);
        sizeBytes += piece.byteLength;
      }
    if (hash.digest('hex') !== manifest.sha256) return 'its content is not the one written';
    return { manifest, manifestSha256: sha256Of(text), sizeBytes };
  } catch (error) {
    if (error instanceof BlobMissing) return 'a part of it or its manifest is missing';
    throw error;
  }
}

async function* limited(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.byteLength;
    if (bytes > MANIFEST_BYTES_MAX) return;
    yield piece;
  }
}

/** Null when it is no manifest of this archive. Restores compare the rest with the head of the content. */
function manifestOf(text: Buffer, id: string): ArchiveManifest | null {
  try {
    const manifest = parseOwnJson<Partial<ArchiveManifest>>(text.toString());
    const { format, archiveId, createdAt, source, parts, sha256, recordCount, namespaceCount } = manifest;
    if (format !== ARCHIVE_FORMAT || archiveId !== id || sha256 === undefined || !Array.isArray(parts))
      return null;
    if (typeof source?.id !== 'string' || typeof source.projectId !== 'string') return null;
    if (recordCount === undefined || namespaceCount === undefined || createdAt === undefined) return null;
    return { ...manifest, format, archiveId, createdAt, source, parts, sha256, recordCount, namespaceCount };
  } catch {
    return null;
  }
}

async function adoptOne(
  catalog: Catalog,
  { manifest, manifestSha256, sizeBytes }: WholeArchive,
): Promise<void> {
  const { archiveId: id, source, createdAt, recordCount, namespaceCount, labels } = manifest;
  await projectFor(catalog, { id: source.projectId, name: 'default' });
  const isThere = (await catalog.indexes.list()).some((index) => index.id === source.id);
  const face = source.deployment.kind === 'pod' ? 'collection' : 'backup';
  const archive: Archive = {
    ...{ id, face, projectId: source.projectId, source, createdAt, manifestSha256 },
    ...{ recordCount, namespaceCount, sizeBytes },
    name:
      face === 'collection'
        ? await freeName(catalog, source.projectId, labels?.name ?? source.name)
        : (labels?.name ?? null),
    description: labels?.description ?? null,
    state: 'Ready',
    sourceDeletedAt: isThere ? null : new Date().toISOString(),
    ...{ scheduleId: null, scheduledAt: null, expiresAt: null },
  };
  await catalog.archives.adopt(archive);
}

/** Names of collections are unique in a project. */
async function freeName({ archives }: Catalog, projectId: string, name: string): Promise<string> {
  const taken = new Set((await archives.listCollections(projectId)).map((each) => each.name));
  let free = name;
  for (let number = 1; taken.has(free); number++) free = `${name.slice(0, 35)}-adopted${number}`;
  return free;
}
