// What indexes were like at moments that can be recovered: a file of the data directory beside the state of the timeline.
// An index that was deleted is known until no moment with it is kept.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { withoutModelChange } from '../../domain/embedding/model-change.ts';
import type { Index } from '../../domain/index-model.ts';
import { isReady, storageIdOf } from '../../domain/index-model.ts';
import { parseOwnJson } from '../../domain/json.ts';
import { replaceFile } from '../../platform/durable-files.ts';

export const VERSIONS_FILE = 'recovery-indexes.json';
const FORMAT = 1;

export interface IndexVersion {
  /** The moment from which the index was so, in milliseconds since 1970. */
  readonly from: number;
  /** The last moment at which it was surely so; absent where the next version, or the present, begins behind it. */
  readonly to?: number;
  readonly index: Index;
}

export interface PastIndex {
  /** The oldest first; at least one. */
  versions: IndexVersion[];
  /** The last moment with it; null while it is there. */
  to: number | null;
}

interface Stored {
  readonly format: number;
  readonly timeline: string;
  readonly indexes: Record<string, PastIndex>;
}

export class IndexVersions {
  readonly #path: string;
  #stored: Stored | null = null;

  constructor(dataDir: string) {
    this.#path = join(dataDir, VERSIONS_FILE);
  }

  /** By the id of the index; none before the first `note`. */
  get indexes(): Readonly<Record<string, PastIndex>> {
    return this.#stored?.indexes ?? {};
  }

  /**
   * Notes what the indexes are like. Versions of another timeline are forgotten.
   * @param at the present moment
   * @param before the last moment of which everything is shipped: a deleted index is recovered as it was then
   */
  note(
    timeline: string,
    indexes: readonly Index[],
    { at, before }: { readonly at: number; readonly before: number },
  ): void {
    const stored = this.#of(timeline);
    const present = new Map(
      indexes.flatMap((index) => (isReady(index.state) ? [[index.id, asShipped(index)] as const] : [])),
    );
    let isChanged = false;
    for (const [id, past] of Object.entries(stored.indexes)) {
      if (present.has(id) || past.to !== null) continue;
      past.to = before;
      isChanged = true;
    }
    for (const [id, index] of present) {
      const past = stored.indexes[id] ?? { versions: [], to: null };
      if (isDeepStrictEqual(past.versions.at(-1)?.index, index) && past.to === null) continue;
      // Not from its creation: one that was made from a backup, or by a recovery, had a part of its records then.
      const version = { from: at, index };
      stored.indexes[id] = { versions: [...ended(past.versions, index, before), version], to: null };
      isChanged = true;
    }
    if (isChanged) this.#save(stored);
  }

  /** Forgets what no moment from `before` on needs. */
  forget(before: number): void {
    const stored = this.#stored;
    if (stored === null) return;
    let isChanged = false;
    for (const [id, past] of Object.entries(stored.indexes)) {
      const needed = past.versions.findLastIndex(({ from }) => from <= before);
      const isGone = past.to !== null && past.to < before;
      if (isGone) delete stored.indexes[id];
      else if (needed > 0) past.versions = past.versions.slice(needed);
      isChanged ||= isGone || needed > 0;
    }
    if (isChanged) this.#save(stored);
  }

  #of(timeline: string): Stored {
    const known = this.#stored ?? this.#read();
    const stored = known?.timeline === timeline ? known : { format: FORMAT, timeline, indexes: {} };
    this.#stored = stored;
    return stored;
  }

  #read(): Stored | null {
    if (!existsSync(this.#path)) return null;
    try {
      const stored = parseOwnJson<Stored>(readFileSync(this.#path, 'utf8'));
      return stored.format === FORMAT ? stored : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  #save(stored: Stored): void {
    replaceFile(this.#path, Buffer.from(JSON.stringify(stored)));
  }
}

/**
 * An index whose records are in other storage now may have got it at any moment since the last look: what the former
 * storage has is right up to then only.
 */
function ended(versions: readonly IndexVersion[], now: Index, before: number): readonly IndexVersion[] {
  const last = versions.at(-1);
  if (last === undefined || storageIdOf(last.index) === storageIdOf(now)) return versions;
  return [...versions.slice(0, -1), { ...last, to: before }];
}

/** As `JSON` gives it back, so that versions that were read compare equal. */
function asShipped(index: Index): Index {
  return parseOwnJson<Index>(JSON.stringify(withoutModelChange(index)));
}
