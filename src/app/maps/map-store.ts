// The files of maps among the blobs, and those used last in memory.
import { createHash } from 'node:crypto';
import { type BlobDetails, BlobMissing, type BlobRange, type Blobs } from '../../blobs/port.ts';
import {
  decodeMap,
  decodeOrigin,
  descriptionBytes,
  MAP_HEAD_BYTES,
  type MapContent,
} from '../../projection/map-file.ts';
import type { MapOrigin } from '../../projection/port.ts';

const PREFIX = 'maps/';
const CACHED_BYTES_MAX = 64 * 1024 * 1024;

interface CachedMap {
  readonly content: MapContent;
  readonly bytes: number;
  readonly modifiedAt: string;
}

/** The file of a map, as it was when it was listed. */
export interface StoredMap extends BlobDetails {
  readonly hash: string;
}

interface KnownOrigin {
  readonly file: BlobDetails;
  readonly origin: MapOrigin | null;
}

export class MapStore {
  readonly #blobs: Blobs;
  /** Those used last come last. */
  readonly #cached = new Map<string, CachedMap>();
  /** Of the files listed last, by key. */
  readonly #origins = new Map<string, KnownOrigin>();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** Null where there is none, or a damaged one. */
  async read(indexId: string, namespace: string): Promise<MapContent | null> {
    const key = keyOf(indexId, namespace);
    const details = await this.#blobs.head(key);
    const cached = this.#cached.get(key);
    this.#cached.delete(key);
    if (details === null) return null;
    const { bytes, modifiedAt } = details;
    if (cached !== undefined && isSameFile(cached, details)) {
      this.#cached.set(key, cached);
      return cached.content;
    }
    const file = await this.file(indexId, namespace);
    const content = file === null ? null : decodeMap(file);
    if (content !== null) this.#keep(key, { content, bytes, modifiedAt });
    return content;
  }

  /** The bytes of a map; null where there is none. */
  async file(indexId: string, namespace: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#bytes(keyOf(indexId, namespace));
  }

  /** Null where there is none. */
  async #bytes(key: string, range?: BlobRange): Promise<Uint8Array<ArrayBuffer> | null> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of this.#blobs.get(key, range)) pieces.push(Uint8Array.from(piece));
    } catch (error) {
      if (error instanceof BlobMissing) return null;
      throw error;
    }
    return Uint8Array.from(Buffer.concat(pieces));
  }

  async write(indexId: string, namespace: string, bytes: Uint8Array): Promise<void> {
    await this.#blobs.put(keyOf(indexId, namespace), piecesOf(bytes));
  }

  async remove(indexId: string, namespace: string): Promise<void> {
    await this.#blobs.delete(keyOf(indexId, namespace));
  }

  /** Removes the maps of an index. */
  async removeAll(indexId: string): Promise<void> {
    for await (const { key } of this.#files(`${PREFIX}${indexId}/`)) await this.#blobs.delete(key);
  }

  /** The files of all maps, by their index. */
  async byIndex(): Promise<ReadonlyMap<string, readonly StoredMap[]>> {
    const stored: StoredMap[] = [];
    for await (const file of this.#files(PREFIX))
      stored.push({ ...file, hash: file.key.slice(file.key.lastIndexOf('/') + 1) });
    const keys = new Set(stored.map(({ key }) => key));
    for (const key of this.#origins.keys()) if (!keys.has(key)) this.#origins.delete(key);
    return Map.groupBy(stored, ({ key }) => key.slice(PREFIX.length).split('/', 1)[0] ?? '');
  }

  /** What a map shows, by the beginning of its file, which is read once; null for a damaged one. */
  async origin(file: StoredMap): Promise<MapOrigin | null> {
    const known = this.#origins.get(file.key);
    if (known !== undefined && isSameFile(known.file, file)) return known.origin;
    const origin = await this.#readOrigin(file);
    this.#origins.set(file.key, { file, origin });
    return origin;
  }

  async #readOrigin({ key, bytes }: StoredMap): Promise<MapOrigin | null> {
    const head = await this.#bytes(key, { first: 0, last: MAP_HEAD_BYTES - 1 });
    const length = head === null ? null : descriptionBytes(head);
    if (length === null || MAP_HEAD_BYTES + length > bytes) return null;
    const range = { first: MAP_HEAD_BYTES, last: MAP_HEAD_BYTES + length - 1 };
    const description = await this.#bytes(key, range);
    return description === null ? null : decodeOrigin(description);
  }

  /** Removes a map, unless it was written again since it was listed. */
  async removeUnchanged(file: StoredMap): Promise<void> {
    const now = await this.#blobs.head(file.key);
    if (now !== null && isSameFile(now, file)) await this.#blobs.delete(file.key);
  }

  async *#files(prefix: string): AsyncGenerator<BlobDetails> {
    for (let cursor: string | null = null; ; ) {
      const { items, next } = await this.#blobs.list(prefix, cursor);
      yield* items;
      if (next === null) return;
      cursor = next;
    }
  }

  #keep(key: string, map: CachedMap): void {
    this.#cached.set(key, map);
    let bytes = 0;
    for (const each of this.#cached.values()) bytes += each.bytes;
    for (const [oldest, each] of this.#cached) {
      if (bytes <= CACHED_BYTES_MAX || oldest === key) return;
      this.#cached.delete(oldest);
      bytes -= each.bytes;
    }
  }
}

function isSameFile(
  one: Pick<BlobDetails, 'bytes' | 'modifiedAt'>,
  other: Pick<BlobDetails, 'bytes' | 'modifiedAt'>,
): boolean {
  return one.bytes === other.bytes && one.modifiedAt === other.modifiedAt;
}

/** A hash, since names of namespaces may have any characters. */
export function namespaceHash(namespace: string): string {
  return createHash('sha256').update(namespace).digest('hex').slice(0, 32);
}

function keyOf(indexId: string, namespace: string): string {
  return `${PREFIX}${indexId}/${namespaceHash(namespace)}`;
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
