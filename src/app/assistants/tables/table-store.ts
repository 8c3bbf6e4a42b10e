// The stored tables of one revision of a file: one blob beside its bytes.
import { Buffer } from 'node:buffer';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import type { DocumentTable } from '../../../documents/port.ts';
import { type FileRevision, tablesKey } from '../../../domain/assistants/file.ts';
import { parseOwnJson } from '../../../domain/json.ts';

type RevisionName = Pick<FileRevision, 'assistantId' | 'id'>;

/** Of tables that are kept in memory between questions, in characters. */
const CACHED_CHARACTERS_MAX = 32 * 2 ** 20;

/** Safe to repeat. */
export async function saveTables(
  blobs: Pick<Blobs, 'put'>,
  revision: RevisionName,
  tables: readonly DocumentTable[],
): Promise<void> {
  await blobs.put(tablesKey(revision), oneOf(Buffer.from(JSON.stringify(tables))));
}

export class TableReader {
  readonly #blobs: Pick<Blobs, 'get'>;
  readonly #cached = new Map<string, readonly DocumentTable[]>();

  constructor(blobs: Pick<Blobs, 'get'>) {
    this.#blobs = blobs;
  }

  /** None for files without tables, and for those that an earlier release read. */
  async of(revision: RevisionName): Promise<readonly DocumentTable[]> {
    const known = this.#cached.get(revision.id);
    if (known !== undefined) return known;
    const tables = await this.#read(revision);
    this.#cached.set(revision.id, tables);
    for (const id of this.#cached.keys()) {
      if (charactersOf([...this.#cached.values()].flat()) <= CACHED_CHARACTERS_MAX) break;
      this.#cached.delete(id);
    }
    return tables;
  }

  async #read(revision: RevisionName): Promise<readonly DocumentTable[]> {
    try {
      const pieces = await Array.fromAsync(this.#blobs.get(tablesKey(revision)));
      return parseOwnJson<readonly DocumentTable[]>(Buffer.concat(pieces).toString('utf8'));
    } catch (error) {
      if (error instanceof BlobMissing) return [];
      throw error;
    }
  }
}

function charactersOf(tables: readonly DocumentTable[]): number {
  return tables.reduce((sum, { text }) => sum + text.length, 0);
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
