// The texts of deleted records on their way out of a segment's statistics: analyzed at once, counted out when readers wait.
import type { TextWriter } from '../text/text-writer.ts';
import { type DeletedRecord, UNKNOWN_RECORD } from './deleted-record.ts';

export class DeletedTexts {
  readonly #texts: TextWriter | null;
  /** True when the texts of one are not known. */
  #isUnknown = false;

  /** @param texts null where there are none */
  constructor(texts: TextWriter | null) {
    this.#texts = texts;
  }

  note(record: DeletedRecord): void {
    if (record === UNKNOWN_RECORD) this.#isUnknown = true;
    else if (record.metadata !== null) this.#texts?.noteDeleted(record.metadata);
  }

  /** True when all texts must be counted anew, which may take long. */
  get isUnknown(): boolean {
    return this.#texts !== null && this.#isUnknown;
  }

  /** Counts out what was noted. @param live the slots that are left, a bitmap, for where all must be counted anew */
  count(live: () => Uint32Array): void {
    for (const _ of this.#countInSlices(live));
  }

  /**
   * Counts all texts anew in slices, where it is not known which of them deleted records had. Call while no reader knows of
   * the segment, and until it has ended, append and delete nothing.
   */
  *recount(slotCount: number, live: () => Uint32Array): Generator<void> {
    if (!this.isUnknown) return;
    this.#texts?.countAppended(slotCount);
    yield* this.#countInSlices(live);
  }

  *#countInSlices(live: () => Uint32Array): Generator<void> {
    this.#texts?.countDeleted();
    if (this.isUnknown) yield* this.#texts?.recount(live()) ?? [];
    this.#isUnknown = false;
  }
}
