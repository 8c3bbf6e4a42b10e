// Entry of the thread that reads the logs of indexes: it keeps those open that it has read last.
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { takePriority } from '../../../../platform/thread-priority.ts';
import { Moved } from '../../../../platform/worker-channel/moved.ts';
import { serveParent } from '../../../../platform/worker-channel/serve-parent.ts';
import type { LogGap, LoggedStorage, LogPart } from '../../../port/write-log.ts';
import { indexFolder } from '../../storage/index-files.ts';
import { RECORDS } from '../../storage/integrity/sealed-records.ts';
import type { LogMethods } from './log-methods.ts';
import { LogReader } from './log-reader.ts';

const OPEN_MAX = 32;
/** Clocks of file systems may stand still for so long: a file that was changed just now may be changed again unseen. */
const COARSE_MS = 2_000;

/** The latest last. */
const readers = new Map<string, LogReader>();

function storagesIn(dataDir: string): readonly LoggedStorage[] {
  const folder = dirname(indexFolder(dataDir, 'any'));
  const now = Date.now();
  return names(folder).flatMap((id) => {
    const stats = statSync(join(indexFolder(dataDir, id), RECORDS), { throwIfNoEntry: false });
    if (stats === undefined) return [];
    const isFresh = Math.abs(now - stats.mtimeMs) < COARSE_MS;
    return { id, version: `${stats.ino} ${stats.size} ${stats.mtimeMs}${isFresh ? ` ${now}` : ''}` };
  });
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Before the first index. Whatever else fails must not pass for indexes that were removed.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

async function readerOf(dataDir: string, id: string, after: number): Promise<LogReader | null> {
  const known = readers.get(id);
  readers.delete(id);
  if (known !== undefined && known.lsn !== after) await known.close();
  const reader = known?.lsn === after ? known : LogReader.open(indexFolder(dataDir, id), after);
  if (reader === null) return null;
  readers.set(id, reader);
  for (const oldest of [...readers.keys()].slice(0, Math.max(0, readers.size - OPEN_MAX)))
    await forget(oldest);
  return reader;
}

async function forget(id: string): Promise<void> {
  const reader = readers.get(id);
  readers.delete(id);
  await reader?.close();
}

takePriority('writer');
serveParent<LogMethods>(
  {
    storages: storagesIn,
    read: async ({ dataDir, storageId, after, bytesMax }) => {
      const reader = await readerOf(dataDir, storageId, after);
      if (reader === null) return null;
      let part: LogPart | LogGap;
      try {
        part = reader.next(bytesMax);
      } catch (error) {
        await forget(storageId);
        throw error;
      }
      if ('gap' in part) {
        await forget(storageId);
        return part;
      }
      return new Moved<LogPart>(part, [part.bytes.buffer]);
    },
    forget: async (id) => {
      await forget(id);
      return null;
    },
  },
  {
    onClose: async () => {
      for (const id of [...readers.keys()]) await forget(id);
    },
  },
);
