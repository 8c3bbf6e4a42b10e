// The folder of an index on disk, and how a thread opens what is in it.
import { accessSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RecordStore } from './record-store.ts';
import { RowFile } from './row-file.ts';

export interface IndexFiles {
  readonly store: RecordStore;
  /** Null on sparse indexes. */
  readonly rowFile: RowFile | null;
}

const RECORDS = 'records.mdb';
export const ROWS = 'rows.f32';

/** Where the indexes lie below the data directory. */
export function indexFolder(dataDir: string, indexId: string): string {
  return join(dataDir, 'indexes', indexId);
}

/** Opens an index for its writer; creates missing files. */
export function openForWriting(folder: string, dimension: number | null): IndexFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = new RecordStore(join(folder, RECORDS));
  const rowFile = dimension === null ? null : RowFile.openForWriting(join(folder, ROWS), dimension);
  // The data directory too: the folder of all indexes may be as new.
  for (const path of [folder, dirname(folder), dirname(dirname(folder))]) syncFolder(path);
  return { store, rowFile };
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

/** True when there is an index in this folder. */
export function isOnDisk(folder: string): boolean {
  return existsSync(join(folder, RECORDS));
}

export async function closeFiles({ store, rowFile }: IndexFiles): Promise<void> {
  await store.close();
  rowFile?.close();
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export function bytesOnDisk(folder: string): number {
  return [RECORDS, ROWS].reduce((sum, name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (stats === undefined ? 0 : stats.blocks * 512);
  }, 0);
}

/** Size of the file of records, unused pages included. @throws ENOENT */
export function recordBytesOnDisk(folder: string): number {
  return statSync(join(folder, RECORDS)).size;
}

/** New names are durable only when their folder is synced. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
