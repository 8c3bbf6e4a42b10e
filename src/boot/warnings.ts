// Warnings about how the server is run, for the console's first page.
import { archiveTitle, type DamagedArchive } from '../app/backups/damaged-archives.ts';
import type { EngineMetrics } from '../engine/port/vector-store.ts';
import { isLoopback } from '../http/host-names.ts';
import { diskSpace } from './disk-space.ts';
import { isBehindTls } from './exposure.ts';
import type { Settings } from './settings.ts';

const DISK_FULL_SHARE = 0.9;
/** Lower than that of the disk: an index that grows needs memory beside its own while it is loaded and built. */
const MEMORY_FULL_SHARE = 0.8;
const PERCENT = 100;
/** Damaged backups that are named. */
const NAMED_MAX = 5;

/**
 * @param metrics those of the project's indexes
 * @param notices those of the models
 */
export async function warningsFor(
  { bind, tlsCert, publicUrl, dataDir }: Pick<Settings, 'bind' | 'tlsCert' | 'publicUrl' | 'dataDir'>,
  metrics: EngineMetrics,
  notices: readonly string[],
): Promise<readonly string[]> {
  const isOpen = tlsCert === null && !isBehindTls({ publicUrl }) && !isLoopback(bind);
  const plain = `The server listens on ${bind} without TLS. Put a proxy with TLS in front, or set PINYON_TLS_CERT.`;
  return [
    ...(isOpen ? [plain] : []),
    ...(await diskWarnings(dataDir)),
    ...memoryWarnings(metrics),
    ...joined(notices),
  ];
}

async function diskWarnings(dataDir: string): Promise<readonly string[]> {
  const disk = await diskSpace(dataDir);
  if (disk === null)
    return ['The data directory cannot be reached: is its disk still there? See the log, and put it back.'];
  const used = disk.sizeBytes === 0 ? 0 : 1 - disk.freeBytes / disk.sizeBytes;
  return used < DISK_FULL_SHARE
    ? []
    : [`The disk of the data directory is ${Math.round(used * PERCENT)} % full.`];
}

function memoryWarnings({ memory, indexes }: EngineMetrics): readonly string[] {
  const share = memory === undefined ? 0 : memory.bytesUsed / memory.bytesMax;
  const oversized = indexes.reduce((sum, { namespacesOversized }) => sum + (namespacesOversized ?? 0), 0);
  const help = 'Raise PINYON_MEMORY_MEBIBYTES_MAX, or keep less in memory (docs/operating.md).';
  const full = `The memory for searches of all indexes is ${Math.round(share * PERCENT)} % full. What does not fit is searched on disk, slowly. ${help}`;
  const subject = oversized === 1 ? '1 namespace does' : `${oversized} namespaces do`;
  const tooLarge = `${subject} not fit in memory, or could not be loaded, and searches read the disk, slowly. ${help}`;
  return [...(share >= MEMORY_FULL_SHARE ? [full] : []), ...(oversized > 0 ? [tooLarge] : [])];
}

/** Each names one, but for the last where there are many. */
export function damageWarnings(damaged: readonly DamagedArchive[]): readonly string[] {
  const named = damaged.slice(0, NAMED_MAX).map(({ archive, problem }) => {
    const title = archiveTitle(archive);
    return `${title[0]?.toUpperCase()}${title.slice(1)} is damaged: ${problem}. Make another and delete it.`;
  });
  const more = damaged.length - named.length;
  return more === 0 ? named : [...named, `${more} more backups and collections are damaged.`];
}

function joined(notices: readonly string[]): readonly string[] {
  return notices.length === 0 ? [] : [notices.join(' ')];
}
