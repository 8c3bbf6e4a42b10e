// The files of maps among the blobs, and those used last in memory.
import { createHash } from 'node:crypto';
import type { Blobs } from '../../blobs/port.ts';
import { decodeMap, type MapContent } from '../../projection/map-file.ts';

const PREFIX = 'maps/';
const CACHED_BYTES_MAX = 64 * 1024 * 1024;

interface CachedMap {
  readonly content: MapContent;
  readonly bytes: number;
  readonly modifiedAt: string;
}

export class MapStore {
  readonly #blobs: Blobs;
  /** Those used last come last. */
  readonly #cached = new Map<string, CachedMap>();

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
    if (cached?.modifiedAt === modifiedAt && cached.bytes === bytes) {
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
    return this.#file(keyOf(indexId, namespace));
  }

  async #file(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    if ((await this.#blobs.head(key)) === null) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#blobs.get(key)) pieces.push(Uint8Array.from(piece));
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
    for await (const key of this.#keys(`${PREFIX}${indexId}/`)) await this.#blobs.delete(key);
  }

  /** The keys of all maps, by their index. */
  async byIndex(): Promise<ReadonlyMap<string, readonly string[]>> {
    const keys: string[] = [];
    for await (const key of this.#keys(PREFIX)) keys.push(key);
    return Map.groupBy(keys, (key) => key.slice(PREFIX.length).split('/', 1)[0] ?? '');
  }

  /**
   * Removes maps of an index.
   * @param keys as `byIndex` has them
   * @param isOf whether a map is of a namespace, whose hash is given, as it is now
   */
  async keepOnly(
    keys: readonly string[],
    isOf: (hash: string, origin: Pick<MapContent, 'storageId' | 'namespace'>) => boolean,
  ): Promise<void> {
    for (const key of keys) {
      const file = await this.#file(key);
      const content = file === null ? null : decodeMap(file);
      if (content === null || !isOf(key.slice(key.lastIndexOf('/') + 1), content))
        await this.#blobs.delete(key);
    }
  }

  async *#keys(prefix: string): AsyncGenerator<string> {
    for (let cursor: string | null = null; ; ) {
      const { items, next } = await this.#blobs.list(prefix, cursor);
      for (const { key } of items) yield key;
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
