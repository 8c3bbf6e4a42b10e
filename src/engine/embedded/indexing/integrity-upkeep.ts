// Keeps the checksums of an open index's pages up to date, in slices between other work of its writer's thread.
import type { WritableFiles } from '../storage/index-files.ts';
import { FileDamage } from '../storage/integrity/damage.ts';

/** Interval at which the sums are extended, if anything was written. */
const SEAL_MS = 5_000;

export interface IntegrityUpkeepOptions {
  readonly onDamage: (damage: FileDamage) => void;
  /** Default SEAL_MS. */
  readonly sealMs?: number;
}

export class IntegrityUpkeep {
  readonly #files: WritableFiles;
  readonly #onDamage: (damage: FileDamage) => void;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;
  #isClosing = false;
  #isDamaged = false;

  constructor(files: WritableFiles, { onDamage, sealMs = SEAL_MS }: IntegrityUpkeepOptions) {
    this.#files = files;
    this.#onDamage = onDamage;
    this.#timer = setInterval(() => this.#start(), sealMs).unref();
  }

  /** Extends the sums a last time. Nothing may be written afterwards. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    await this.#running;
    if (!this.#isDamaged) this.#sealNow();
  }

  /** Most looks find nothing written, and thousands of indexes may be open: they must cost next to nothing. */
  #start(): void {
    if (this.#running !== null || this.#isCurrent()) return;
    this.#running = this.#seal().finally(() => {
      this.#running = null;
    });
  }

  #isCurrent(): boolean {
    try {
      return this.#files.sealed.isCurrent();
    } catch (error) {
      // The scan looks again, and tells.
      if (!(error instanceof FileDamage)) this.#warn(error);
      return false;
    }
  }

  async #seal(): Promise<void> {
    const { store, sealed } = this.#files;
    store.refresh();
    // Keeps the pages that are visited from being reused by commits in between.
    const transaction = store.env.useReadTransaction();
    let isWhole = false;
    try {
      for (const _ of sealed.seal()) {
        await new Promise(setImmediate);
        if (this.#isClosing) return;
      }
      isWhole = true;
    } catch (error) {
      if (!(error instanceof FileDamage)) this.#warn(error);
    } finally {
      transaction.done();
    }
    // Once more without commits in between, before anything is called damaged.
    if (!isWhole && !this.#isClosing) this.#sealNow();
  }

  #sealNow(): void {
    try {
      for (const _ of this.#files.sealed.seal());
    } catch (error) {
      if (error instanceof FileDamage) {
        this.#isDamaged = true;
        clearInterval(this.#timer);
        this.#onDamage(error);
      } else this.#warn(error);
    }
  }

  /** Sums are derived: a full disk costs them, and nothing else. */
  #warn(error: unknown): void {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
