// The writer's sorted terms of a segment: runs of growing size, merged as they fill (the logarithmic method of Bentley and
// Saxe, 1980). The newest terms are in no run yet.
import type { Part } from '../storage/derived-files/parts.ts';
import { FRAME_BYTES, type TextMemory } from './layout.ts';
import type { Restoring, SavedRuns } from './saved-texts.ts';
import type { SortedTermsStructure } from './structure.ts';
import { mergeRuns, RunEncoder, type TermRun } from './term-run.ts';

const PART = 'text-sorted';

/** Terms that are sorted into a run together: queries test so many unsorted ones one by one. */
const RUN_TERMS_MIN = 1_024;
/** So many runs of about the same size are merged, all at once: each term is written once for each size. */
const RUN_GROWTH = 4;
/** No larger runs are made: a merge blocks the writer for up to 80 ms. */
const RUN_TERMS_MAX = 2 ** 17;
/** Runs of so many terms together are merged although they are fewer, since no more of them would fit in one. */
const LARGE_TERMS_MIN = RUN_TERMS_MAX / 2;

export class SortedTerms {
  readonly #memory: TextMemory;
  #runs: TermRun[] = [];
  #sorted = 0;
  #isAnnounced = true;
  /** Frames that no run has any more: readers may use them until they know of the runs that replace them. */
  #replaced: number[] = [];
  #retirable: number[] = [];

  constructor(memory: TextMemory) {
    this.#memory = memory;
  }

  get structure(): SortedTermsStructure {
    return { runs: [...this.#runs], sorted: this.#sorted };
  }

  /** Sorts the terms below `count` once enough are new. @throws when memory is full */
  reach(count: number, keyOf: (term: number) => Buffer): void {
    if (count - this.#sorted < RUN_TERMS_MIN) return;
    const added: { readonly term: number; readonly key: Buffer }[] = [];
    for (let term = this.#sorted; term < count; term++) added.push({ term, key: keyOf(term) });
    added.sort((a, b) => a.key.compare(b.key));
    const encoder = new RunEncoder(this.#memory);
    for (const { key, term } of added) encoder.add(key, key.length, term);
    this.#runs.push(encoder.finish());
    this.#sorted = count;
    this.#isAnnounced = false;
    this.#merge();
  }

  /** The structure if it has changed since the last call. What was replaced before that call is freed. */
  takeChange(): SortedTermsStructure | null {
    if (this.#retirable.length > 0) this.#memory.retire(this.#retirable);
    this.#retirable = this.#replaced;
    this.#replaced = [];
    if (this.#isAnnounced) return null;
    this.#isAnnounced = true;
    return this.structure;
  }

  /** A copy, since frames are freed while a file is written. */
  save(): { readonly saved: SavedRuns; readonly parts: readonly Part[] } {
    const frames = this.#runs.flatMap((run) => run.frames);
    const bytes = new Uint8Array(frames.length * FRAME_BYTES);
    for (const [i, frame] of frames.entries())
      bytes.set(
        this.#memory.bytes(frame + FRAME_BYTES).subarray(frame, frame + FRAME_BYTES),
        i * FRAME_BYTES,
      );
    const runs = this.#runs.map(({ frames: { length }, terms }) => ({ frames: length, terms }));
    return { saved: { runs, sorted: this.#sorted }, parts: [{ name: PART, bytes, isPacked: true }] };
  }

  /** Allocates saved runs in this empty list. @throws when memory is full */
  restore({ runs, sorted }: SavedRuns): Restoring {
    this.#runs = runs.map(({ frames, terms }) => ({
      frames: Array.from({ length: frames }, () => this.#memory.frames(1)),
      terms,
    }));
    this.#sorted = sorted;
    const addresses = this.#runs.flatMap(({ frames }) => frames);
    const bytes = new Uint8Array(addresses.length * FRAME_BYTES);
    return {
      parts: [{ name: PART, bytes, isPacked: true }],
      finish: () => {
        for (const [i, frame] of addresses.entries())
          this.#memory
            .bytes(frame + FRAME_BYTES)
            .set(bytes.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES), frame);
      },
    };
  }

  #merge(): void {
    for (let count = lastToMerge(this.#runs); count > 0; count = lastToMerge(this.#runs)) {
      const last = this.#runs.slice(-count);
      const merged = mergeRuns(last, this.#memory);
      this.#replaced.push(...last.flatMap(({ frames }) => frames));
      this.#runs.splice(-count, count, merged);
    }
  }
}

/** How many of the last runs, none of a higher tier than the last one, make one of the next tier; 0 as long as they are too few. */
function lastToMerge(runs: readonly TermRun[]): number {
  const tier = tierOf(runs.at(-1)?.terms ?? 0);
  const first = runs.findLastIndex(({ terms }) => tierOf(terms) > tier) + 1;
  const count = runs.length - first;
  const terms = runs.slice(first).reduce((sum, run) => sum + run.terms, 0);
  if (count < 2 || terms > RUN_TERMS_MAX) return 0;
  return count >= RUN_GROWTH || terms > LARGE_TERMS_MIN ? count : 0;
}

/** Terms of the runs of a tier are RUN_GROWTH times those of the one below. */
function tierOf(terms: number): number {
  return Math.floor(Math.log2(Math.max(1, terms / RUN_TERMS_MIN)) / Math.log2(RUN_GROWTH));
}
