// The stored tables of one revision of a file: one blob beside its bytes.
import { Buffer } from 'node:buffer';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import type { DocumentTable } from '../../../documents/port.ts';
import { type FileRevision, tablesKey } from '../../../domain/assistants/file.ts';
import { parseOwnJson } from '../../../domain/json.ts';

type RevisionName = Pick<FileRevision, 'assistantId' | 'id'>;

export interface ReadRevision extends RevisionName {
  /** Version of the parser that read it: another one may have found other tables. Null where it is not known. */
  readonly parser: number | null;
}

/** Of tables that are kept in memory between questions, in characters. */
const CACHED_CHARACTERS_MAX = 32 * 2 ** 20;
/** Files without tables count, too. */
const CACHED_FILES_MAX = 10_000;

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
  /** The one that was used last is the last. */
  readonly #cached = new Map<string, readonly DocumentTable[]>();
  #characters = 0;

  constructor(blobs: Pick<Blobs, 'get'>) {
    this.#blobs = blobs;
  }

  /** None for files without tables, and for those that an earlier release read. */
  async of(revision: ReadRevision): Promise<readonly DocumentTable[]> {
    const key = `${revision.id} ${revision.parser}`;
    const tables = this.#cached.get(key) ?? (await this.#read(revision));
    this.#forget(key);
    this.#cached.set(key, tables);
    this.#characters += charactersOf(tables);
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= CACHED_FILES_MAX && this.#characters <= CACHED_CHARACTERS_MAX) break;
      this.#forget(oldest);
    }
    return tables;
  }

  #forget(key: string): void {
    this.#characters -= charactersOf(this.#cached.get(key) ?? []);
    this.#cached.delete(key);
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
