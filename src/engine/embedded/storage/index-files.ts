// The folder of an index on disk, and how a thread opens what is in it.
import { accessSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../../platform/durable-files.ts';
import { FileDamage } from './integrity/damage.ts';
import { identify } from './integrity/identity.ts';
import { RECORDS, SealedRecords } from './integrity/sealed-records.ts';
import { isThere } from './is-there.ts';
import { RecordStore } from './record-store.ts';
import { RowFile } from './row-file.ts';

export interface IndexFiles {
  readonly store: RecordStore;
  /** Null on sparse indexes. */
  readonly rowFile: RowFile | null;
}

/** The files of an index, as its writer opens them. */
export interface WritableFiles extends IndexFiles {
  readonly sealed: SealedRecords;
}

/** Name of the counter of rows: the first that was never used. */
export const NEXT_ROW = 'next-row';
export const ROWS = 'rows.f32';
/** Of which the system counts what a file takes. */
const BLOCK_BYTES = 512;

/** Where the indexes lie below the data directory. */
export function indexFolder(dataDir: string, indexId: string): string {
  return join(dataDir, 'indexes', indexId);
}

export interface WritingOptions {
  /** True to create it if it is not there; what is there is verified and opened in any case. Default true. */
  readonly isNew?: boolean;
  /** Whose files these must be; default the name of the folder. */
  readonly indexId?: string;
  /** That search it; default 0. */
  readonly threads?: number;
}

/**
 * Opens an index for its writer.
 * @throws FileDamage when files are missing or damaged; the system's error, as EACCES, where it does not say which
 */
export function openForWriting(
  folder: string,
  dimension: number | null,
  { isNew = true, indexId = basename(folder), threads = 0 }: WritingOptions = {},
): WritableFiles {
  if (isNew) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, RECORDS);
  const isKnown = isThere(path);
  if (!isKnown && !isNew) throw new FileDamage(path, 'it is missing');
  const sealed = isKnown ? SealedRecords.verify(folder) : SealedRecords.fresh(folder);
  const store = new RecordStore(path, { threads });
  try {
    identify(store, { indexId, dimension });
    const rowFile =
      dimension === null ? null : openRows(join(folder, ROWS), dimension, store.numbers.get(NEXT_ROW));
    // The data directory too: the folder of all indexes may be as new.
    if (!isKnown) for (const each of [folder, dirname(folder), dirname(dirname(folder))]) syncFolder(each);
    return { store, rowFile, sealed };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** @param rows how many the file must have. @throws FileDamage when it has fewer */
function openRows(path: string, dimension: number, rows: number): RowFile {
  if (rows > 0 && !isThere(path))
    throw new FileDamage(path, `it is missing, although ${rows} rows are in use`);
  const rowFile = RowFile.openForWriting(path, dimension);
  const expected = rows * dimension * Float32Array.BYTES_PER_ELEMENT;
  if (rowFile.bytes >= expected) return rowFile;
  const { bytes } = rowFile;
  rowFile.close();
  throw new FileDamage(path, `it has ${bytes} bytes, expected at least ${expected} for ${rows} rows`);
}

/** Opens an index that its writer has opened before. @throws ENOENT when it was removed since */
export function openForReading(folder: string, dimension: number | null): IndexFiles {
  const path = join(folder, RECORDS);
  // LMDB would create the files of a removed index again.
  accessSync(path);
  const store = openStore(path);
  try {
    return {
      store,
      rowFile: dimension === null ? null : RowFile.openForReading(join(folder, ROWS), dimension),
    };
  } catch (error) {
    void store.close();
    throw error;
  }
}

/** @throws ENOENT even if the folder is removed meanwhile, for which LMDB has an error of its own */
function openStore(path: string): RecordStore {
  try {
    return new RecordStore(path);
  } catch (error) {
    accessSync(path);
    throw error;
  }
}

/** True when there is an index in this folder. @throws the system's error where this user may not see it */
export function isOnDisk(folder: string): boolean {
  return isThere(join(folder, RECORDS));
}

export async function closeFiles({ store, rowFile }: IndexFiles): Promise<void> {
  await store.close();
  rowFile?.close();
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** What the files of an index take; 0 for those that cannot be seen: the figures of other indexes go on. */
export function bytesOnDisk(folder: string): number {
  return [RECORDS, ROWS].reduce((sum, name) => sum + fileBytesOnDisk(join(folder, name)), 0);
}

function fileBytesOnDisk(path: string): number {
  try {
    const { blocks = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return blocks * BLOCK_BYTES;
  } catch {
    return 0;
  }
}

/** Size of the file of records, unused pages included. @throws ENOENT */
export function recordBytesOnDisk(folder: string): number {
  return statSync(join(folder, RECORDS)).size;
}
