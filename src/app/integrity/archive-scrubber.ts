// Reads the archives of backups and collections in the background, so that damage is found before somebody restores one.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Blobs, BlobsUnavailable } from '../../blobs/port.ts';
import type { Archive, Catalog } from '../../catalog/port.ts';
import { archiveProblem } from '../backups/check-archive.ts';
import {
  type ArchivePlace,
  type ArchiveScrubState,
  DAMAGED_MAX,
  readScrubState,
  writeScrubState,
} from '../backups/damaged-archives.ts';
import { pacedBlobs } from '../backups/paced-blobs.ts';
import { allProjects, archivesOfProject } from './all-archives.ts';

/** After a start, until archives are read. */
const START_MS = 5_000;
/** Between two looks for archives that were made meanwhile. */
const LOOK_MS = 600_000;
/** From the beginning of a round to that of the next, at least: archives rest, and reading some storages costs money. */
const ROUND_MS_MIN = 7 * 86_400_000;
const MS_PER_SECOND = 1_000;

export interface ArchiveScrubberParts {
  readonly catalog: Pick<Catalog, 'administration' | 'archives' | 'settings'>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** Bytes a second that are read; 0 for none. */
  readonly bytesPerSecond: number;
  readonly onDamage: (archive: Archive, problem: string) => void;
  /** Called when the storage does not answer, which is not damage: the archive is read later. */
  readonly onUnread: (archive: Archive, error: unknown) => void;
  /** Called when the catalog fails; a later look tries again. */
  readonly onFailure: (error: unknown) => void;
  readonly now?: () => Date;
}

export interface ArchiveScrub {
  /** Read since the start of the process. */
  readonly bytes: number;
  /** When all archives had been read, in seconds since 1970; null before. */
  readonly finishedAt: number | null;
}

export class ArchiveScrubber {
  readonly #parts: ArchiveScrubberParts;
  readonly #closing = new AbortController();
  #bytes = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ArchiveScrubberParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#parts.bytesPerSecond > 0) this.#running = this.#run().catch(() => undefined);
  }

  async progress(): Promise<ArchiveScrub> {
    const { finishedAt } = await readScrubState(this.#parts.catalog.settings);
    return {
      bytes: this.#bytes,
      finishedAt: finishedAt === null ? null : Date.parse(finishedAt) / MS_PER_SECOND,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Reads what is due: archives made since the last look, and all of them when a round is over. */
  async look(): Promise<void> {
    const { catalog } = this.#parts;
    await this.#beginRound();
    const { after } = await readScrubState(catalog.settings);
    let isUnanswered = false;
    const { due, isAll } = dueAfter(await this.#archives(), after);
    for (const archive of due) {
      if (await this.#scrub(archive)) isUnanswered = false;
      // Two in a row: it is the storage, and the next look begins with the first of them.
      else if (isUnanswered) return;
      else isUnanswered = true;
    }
    if (isAll && !isUnanswered) await this.#finishRound(due.length > 0);
  }

  async #run(): Promise<void> {
    for (let ms = START_MS; ; ms = LOOK_MS) {
      await this.#pause(ms);
      try {
        await this.look();
      } catch (error) {
        this.#closing.signal.throwIfAborted();
        this.#parts.onFailure(error);
      }
    }
  }

  /** False when the storage did not answer. */
  async #scrub(archive: Archive): Promise<boolean> {
    const { blobs, bytesPerSecond, catalog, onUnread } = this.#parts;
    const { signal } = this.#closing;
    if (!(await this.#isStill(archive))) return true;
    const paced = pacedBlobs(blobs, async (bytes) => {
      this.#bytes += bytes;
      await this.#pause((MS_PER_SECOND * bytes) / bytesPerSecond);
    });
    try {
      const problem = await archiveProblem(paced, archive, { signal, onBytes: () => undefined });
      // Parts that went because it is being deleted are not damage.
      if (problem !== null && !(await this.#isStill(archive))) return true;
      if (problem !== null) this.#parts.onDamage(archive, problem);
      await this.#save(archive, problem, await readScrubState(catalog.settings));
      return true;
    } catch (error) {
      if (!(error instanceof BlobsUnavailable)) throw error;
      signal.throwIfAborted();
      onUnread(archive, error);
      return false;
    }
  }

  /** @param state as it is now: another node may have read archives meanwhile */
  async #save({ id, createdAt }: Archive, problem: string | null, state: ArchiveScrubState): Promise<void> {
    const { [id]: _, ...others } = state.damaged;
    const isTold = problem !== null && Object.keys(others).length < DAMAGED_MAX;
    const damaged = isTold ? { ...others, [id]: problem } : others;
    const after = isAfter({ id, createdAt }, state.after) ? { id, createdAt } : state.after;
    await writeScrubState(this.#parts.catalog.settings, { ...state, after, damaged });
  }

  /** Forgets archives that are gone. No effect while a round runs, or before the next is due. */
  async #beginRound(): Promise<void> {
    const { catalog, now = () => new Date() } = this.#parts;
    const state = await readScrubState(catalog.settings);
    const { roundBeganAt } = state;
    const isOver = isFinished(state) && now().getTime() - Date.parse(roundBeganAt ?? '') >= ROUND_MS_MIN;
    if (roundBeganAt !== null && !isOver) return;
    const damaged: Record<string, string> = {};
    for (const [id, problem] of Object.entries(state.damaged))
      if ((await catalog.archives.find(id))?.state === 'Ready') damaged[id] = problem;
    const began = { roundBeganAt: now().toISOString(), after: null, damaged };
    await writeScrubState(catalog.settings, { ...state, ...began });
  }

  /** No effect on a round that is finished, unless archives were made and read since. */
  async #finishRound(hasRead: boolean): Promise<void> {
    const { catalog, now = () => new Date() } = this.#parts;
    const state = await readScrubState(catalog.settings);
    if (isFinished(state) && !hasRead) return;
    await writeScrubState(catalog.settings, { ...state, finishedAt: now().toISOString() });
  }

  async #archives(): Promise<readonly Archive[]> {
    const { catalog } = this.#parts;
    const found: Archive[] = [];
    for (const { id } of await allProjects(catalog)) found.push(...(await archivesOfProject(catalog, id)));
    return found;
  }

  async #isStill({ id, manifestSha256 }: Archive): Promise<boolean> {
    const present = await this.#parts.catalog.archives.find(id);
    return present?.state === 'Ready' && present.manifestSha256 === manifestSha256;
  }

  /** @throws the reason when the scrubber closes */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false });
  }
}

function isFinished({ roundBeganAt, finishedAt }: ArchiveScrubState): boolean {
  return roundBeganAt !== null && finishedAt !== null && finishedAt >= roundBeganAt;
}

interface DueArchives {
  readonly due: readonly Archive[];
  /** False when some come later: one that is being made would be passed over by those made after it. */
  readonly isAll: boolean;
}

function dueAfter(archives: readonly Archive[], after: ArchivePlace | null): DueArchives {
  const later = archives
    .filter(({ state }) => state === 'Ready' || state === 'Initializing')
    .filter((archive) => isAfter(archive, after))
    .sort((one, other) => (isAfter(one, other) ? 1 : -1));
  const unfinished = later.findIndex(({ state }) => state === 'Initializing');
  return unfinished < 0 ? { due: later, isAll: true } : { due: later.slice(0, unfinished), isAll: false };
}

function isAfter(one: ArchivePlace, other: ArchivePlace | null): boolean {
  if (other === null || one.createdAt > other.createdAt) return true;
  return one.createdAt === other.createdAt && one.id > other.id;
}
