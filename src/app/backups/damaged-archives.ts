// What the background reading of archives has done and found, as the catalog keeps it: over restarts, and for all nodes.
import type { Archive, ArchiveStore, NewestBackup, SettingStore } from '../../catalog/port.ts';
import { isJsonObject, membersOf } from '../../domain/json.ts';

const SETTING = 'archive-scrub';
/** What is found beyond is in the log alone. */
export const DAMAGED_MAX = 1_000;

/** Archives are read in this order: those made meanwhile come last. */
export type ArchivePlace = Pick<Archive, 'createdAt' | 'id'>;

export interface ArchiveScrubState {
  /** ISO time; null before the first round. */
  readonly roundBeganAt: string | null;
  /** The archive that was read last in this round; null for none. */
  readonly after: ArchivePlace | null;
  /** ISO time when the last archive of a round had been read; null before. */
  readonly finishedAt: string | null;
  /** What is damaged, by the ids of archives. */
  readonly damaged: Readonly<Record<string, string>>;
}

export const NOTHING_SCRUBBED: ArchiveScrubState = {
  roundBeganAt: null,
  after: null,
  finishedAt: null,
  damaged: {},
};

export interface DamagedArchive {
  readonly archive: Archive;
  /** What is damaged, as a clause. */
  readonly problem: string;
}

interface ScrubCatalog {
  readonly settings: Pick<SettingStore, 'get'>;
  readonly archives: Pick<ArchiveStore, 'find'>;
}

/** The state; that of a new installation where it cannot be read, so that everything is read again. */
export async function readScrubState(settings: Pick<SettingStore, 'get'>): Promise<ArchiveScrubState> {
  const text = await settings.get(SETTING);
  if (text === null) return NOTHING_SCRUBBED;
  try {
    const { roundBeganAt, after, finishedAt, damaged } = membersOf(JSON.parse(text));
    return {
      roundBeganAt: textOrNull(roundBeganAt),
      after: placeOf(after),
      finishedAt: textOrNull(finishedAt),
      damaged: Object.fromEntries(
        Object.entries(membersOf(damaged)).filter((each): each is [string, string] => isText(each[1])),
      ),
    };
  } catch {
    return NOTHING_SCRUBBED;
  }
}

export async function writeScrubState(
  settings: Pick<SettingStore, 'set'>,
  state: ArchiveScrubState,
): Promise<void> {
  await settings.set(SETTING, JSON.stringify(state));
}

/** What of the archive was found damaged; null for nothing, or when it was not read yet. */
export async function damageOf(
  settings: Pick<SettingStore, 'get'>,
  archive: Pick<Archive, 'id'>,
): Promise<string | null> {
  return (await readScrubState(settings)).damaged[archive.id] ?? null;
}

/** The archives found damaged that still exist. @param projectId null for those of all projects */
export async function damagedArchives(
  { settings, archives }: ScrubCatalog,
  projectId: string | null,
): Promise<readonly DamagedArchive[]> {
  const { damaged } = await readScrubState(settings);
  const found = await Promise.all(
    Object.entries(damaged).map(async ([id, problem]) => ({ archive: await archives.find(id), problem })),
  );
  return found.flatMap(({ archive, problem }) =>
    archive?.state === 'Ready' && (projectId === null || archive.projectId === projectId)
      ? [{ archive, problem }]
      : [],
  );
}

/** When the newest backup of each index was made that was not found damaged, of all projects. */
export async function newestWholeBackups({
  settings,
  archives,
}: {
  readonly settings: Pick<SettingStore, 'get'>;
  readonly archives: Pick<ArchiveStore, 'newestBackups'>;
}): Promise<readonly NewestBackup[]> {
  return archives.newestBackups(Object.keys((await readScrubState(settings)).damaged));
}

/** How people know an archive. */
export function archiveTitle({ face, name, id, source }: Archive): string {
  return face === 'collection' ? `collection ${name ?? id}` : `backup ${name ?? id} of index ${source.name}`;
}

function placeOf(value: unknown): ArchivePlace | null {
  if (!isJsonObject(value) || !isText(value.createdAt) || !isText(value.id)) return null;
  return { createdAt: value.createdAt, id: value.id };
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
