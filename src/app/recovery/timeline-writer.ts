// Appends objects to the timeline of this server, and notes in the data directory how far it is. Nobody else appends to
// it: who finds a number taken, or has lost its notes or its place, begins a timeline of its own.
import { BlobExists, BlobMissing, type Blobs } from '../../blobs/port.ts';
import type { SettingStore } from '../../catalog/port.ts';
import { newId, orderedIdAt, timeOfId } from '../../domain/ids.ts';
import {
  basePrefix,
  type LogHeader,
  logKey,
  MANIFEST,
  once,
  RECOVERY_FORMAT,
  readHeader,
  sealed,
  type Timeline,
  timelineIdsOf,
  timelineKey,
  wholeCatalogKey,
} from './log-format.ts';
import type { WholeObject } from './log-object.ts';
import {
  newState,
  noteShipped,
  nothing,
  readState,
  type ShippingState,
  saveState,
} from './shipping-state.ts';

const INSTALLATION = 'recovery-installation';

export interface TimelineWriterParts {
  readonly settings: SettingStore;
  readonly blobs: Blobs;
  readonly dataDir: string;
  readonly release: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The place of the log was found taken or lost: another one began. */
  readonly onNewTimeline: (timeline: string, reason: string) => void;
}

export class TimelineWriter {
  readonly #parts: TimelineWriterParts;
  #state: ShippingState | null = null;

  constructor(parts: TimelineWriterParts) {
    this.#parts = parts;
  }

  /** The state of the present timeline; another object after a new one has begun. */
  async state(): Promise<ShippingState> {
    this.#state ??= (await this.#known()) ?? (await this.#begin('this server has shipped nothing so far'));
    return this.#state;
  }

  /** Begins a timeline. @param reason for people */
  async restart(reason: string): Promise<void> {
    this.#state = await this.#begin(reason);
  }

  /** Says that this installation, and no other, ships. */
  async installation(): Promise<string> {
    const { settings } = this.#parts;
    const known = await settings.get(INSTALLATION);
    if (known !== null) return known;
    const id = newId();
    await settings.set(INSTALLATION, id);
    return id;
  }

  /**
   * Stores an object and notes that it is. Safe to repeat with the same one.
   * @throws BlobsUnavailable; Error where another server has its number, after a new timeline has begun
   */
  async append({ header, bytes }: WholeObject): Promise<void> {
    const { blobs, signal } = this.#parts;
    const state = await this.state();
    state.pending = { number: header.number, id: header.id };
    this.save(state);
    await this.#announce(state, header);
    const key = logKey(state.timeline, header.number);
    try {
      await blobs.put(key, once(bytes), { ifAbsent: true, signal });
    } catch (error) {
      if (!(error instanceof BlobExists)) throw error;
      // An answer may have been lost.
      if ((await readHeader(blobs, key)).id !== header.id) {
        this.#state = await this.#begin('another server ships into the timeline');
        throw new Error('the recovery log goes on in another timeline', { cause: error });
      }
    }
    this.#note(state, header);
  }

  save(state: ShippingState): void {
    saveState(this.#parts.dataDir, state);
  }

  /** Null where there are no notes. */
  async #known(): Promise<ShippingState | null> {
    const { dataDir, blobs } = this.#parts;
    const known = readState(dataDir);
    if (known === null) return null;
    const { timeline, pending } = known;
    const ids = await timelineIdsOf(blobs, await this.installation());
    if (!ids.includes(timeline)) return this.#begin('the blob store does not have the timeline');
    // A recovery would take that one for the latest: a clock was ahead when it began, or another server ships.
    if (ids.at(-1) !== timeline) return this.#begin('another timeline of this installation sorts behind it');
    const stored = pending === null ? null : await this.#stored(timeline, pending.number);
    if (stored !== null && stored.id !== pending?.id)
      return this.#begin('another server ships into the timeline');
    if (stored !== null) this.#note(known, stored);
    known.pending = null;
    return known;
  }

  async #begin(reason: string): Promise<ShippingState> {
    const { blobs, release, now, signal, onNewTimeline } = this.#parts;
    const at = now();
    const installation = await this.installation();
    // The latest one sorts last, also behind those that began when the clock was ahead, here or at a machine that was lost.
    const before = (await timelineIdsOf(blobs, installation)).at(-1);
    const idMs = before === undefined ? at : Math.max(at, timeOfId(before) + 1);
    const timeline: Timeline = { id: orderedIdAt(idMs), installation, at, release };
    const content = once(sealed({ format: RECOVERY_FORMAT, ...timeline }));
    await blobs.put(timelineKey(timeline), content, { ifAbsent: true, signal });
    const state = newState(timeline.id);
    this.save(state);
    onNewTimeline(timeline.id, reason);
    return state;
  }

  async #stored(timeline: string, number: number): Promise<LogHeader | null> {
    try {
      return await readHeader(this.#parts.blobs, logKey(timeline, number));
    } catch (error) {
      if (error instanceof BlobMissing) return null;
      throw error;
    }
  }

  /** Stores what leads to the content of an object, before it: a kill between them must not leave it unfound. */
  async #announce({ timeline, storages }: ShippingState, { number, sections }: LogHeader): Promise<void> {
    for (const section of sections) {
      if (section.kind === 'catalog' && section.changed === null)
        await this.#putOnce(wholeCatalogKey(timeline, number), Buffer.from('\n'));
      else if (section.kind === 'writes' && section.from === 0 && storages[section.storage] === undefined) {
        const manifest = nothing(section.storage, number);
        await this.#putOnce(`${basePrefix(timeline, manifest)}${MANIFEST}`, sealed(manifest));
      }
    }
  }

  async #putOnce(key: string, content: Uint8Array): Promise<void> {
    const { blobs, signal } = this.#parts;
    try {
      await blobs.put(key, once(content), { ifAbsent: true, signal });
    } catch (error) {
      if (!(error instanceof BlobExists)) throw error;
    }
  }

  #note(state: ShippingState, header: LogHeader): void {
    noteShipped(state, header);
    this.save(state);
  }
}
