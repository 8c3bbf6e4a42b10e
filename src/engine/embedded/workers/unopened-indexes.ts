// The indexes that nobody has opened since the start, and when the history of each has something to drop.
import type { IndexProfile } from '../../../domain/index-model.ts';

/** Indexes looked at in one turn: each takes a few reads of pages. */
const LOOKS_MAX = 20;

interface Unopened {
  readonly profile: IndexProfile;
  /** In milliseconds since 1970; undefined until it was looked at. */
  readonly historyDueMs: number | undefined;
}

export class UnopenedIndexes {
  readonly #dueMsOf: (indexId: string) => number | null;
  readonly #known = new Map<string, Unopened>();
  /** Of these, they have not been looked at. */
  readonly #unseen = new Set<string>();

  /** @param dueMsOf from the files of an index; null for never */
  constructor(dueMsOf: (indexId: string) => number | null) {
    this.#dueMsOf = dueMsOf;
  }

  add(profile: IndexProfile): void {
    this.#known.set(profile.id, { profile, historyDueMs: undefined });
    this.#unseen.add(profile.id);
  }

  /** One that is open, or gone. */
  delete(indexId: string): void {
    this.#known.delete(indexId);
    this.#unseen.delete(indexId);
  }

  reshape(profile: IndexProfile): void {
    const known = this.#known.get(profile.id);
    if (known !== undefined) this.#known.set(profile.id, { ...known, profile });
  }

  /** Looks at some more. @returns those whose history has something to drop by now */
  due(now: number): readonly IndexProfile[] {
    this.#look();
    return [...this.#known.values()].flatMap(({ profile, historyDueMs }) =>
      historyDueMs !== undefined && historyDueMs <= now ? [profile] : [],
    );
  }

  #look(): void {
    for (const indexId of [...this.#unseen].slice(0, LOOKS_MAX)) {
      this.#unseen.delete(indexId);
      const known = this.#known.get(indexId);
      const historyDueMs = this.#dueMsOf(indexId);
      // Whatever gets a history is opened for it.
      if (known === undefined || historyDueMs === null) this.#known.delete(indexId);
      else this.#known.set(indexId, { ...known, historyDueMs });
    }
  }
}
