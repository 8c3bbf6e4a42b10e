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
/** A run is merged into the one before unless that is so many times as large. */
const RUN_GROWTH = 4;
/** Larger runs are not merged: a merge blocks the writer for up to 80 ms. */
const RUN_TERMS_MAX = 2 ** 17;

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
    return { saved: { runs, sorted: this.#sorted }, parts: [{ name: PART, bytes }] };
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
      parts: [{ name: PART, bytes }],
      finish: () => {
        for (const [i, frame] of addresses.entries())
          this.#memory
            .bytes(frame + FRAME_BYTES)
            .set(bytes.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES), frame);
      },
    };
  }

  #merge(): void {
    for (;;) {
      const [before, last] = this.#runs.slice(-2);
      if (before === undefined || last === undefined) return;
      const isLarge = before.terms >= RUN_TERMS_MAX || before.terms >= RUN_GROWTH * last.terms;
      if (isLarge) return;
      const merged = mergeRuns([before, last], this.#memory);
      this.#replaced.push(...before.frames, ...last.frames);
      this.#runs.splice(-2, 2, merged);
    }
  }
}
