// Keeps the checksums of an open index's pages up to date, in slices between other work of its writer's thread.
import type { WritableFiles } from '../storage/index-files.ts';
import { FileDamage } from '../storage/integrity/damage.ts';
import type { Warn } from './index-warnings.ts';

/** Interval at which the sums are extended, if anything was written. */
const SEAL_MS = 5_000;
/** The next round begins no sooner than so many times what the last one took: rounds take under 5 % of the thread. */
const PAUSE_FACTOR = 20;

/** The files whose checksums are kept. */
export interface SealedFiles extends Pick<WritableFiles, 'store'> {
  readonly sealed: Pick<WritableFiles['sealed'], 'isCurrent' | 'seal'>;
}

export interface IntegrityUpkeepOptions {
  readonly onDamage: (damage: FileDamage) => void;
  /** Sums are derived: a full disk costs them, and nothing else. */
  readonly warn: Warn;
  /** Default SEAL_MS. */
  readonly sealMs?: number;
  /** In milliseconds; default performance.now(). */
  readonly now?: () => number;
}

export class IntegrityUpkeep {
  readonly #files: SealedFiles;
  readonly #onDamage: (damage: FileDamage) => void;
  readonly #warn: Warn;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  /** When the next round may begin. */
  #notBefore = Number.NEGATIVE_INFINITY;
  /** Thread time of the last round, or of this one so far. */
  #spentMs = 0;
  #running: Promise<void> | null = null;
  #isClosing = false;
  #isDamaged = false;

  constructor(
    files: SealedFiles,
    { onDamage, warn, sealMs = SEAL_MS, now = () => performance.now() }: IntegrityUpkeepOptions,
  ) {
    this.#files = files;
    this.#onDamage = onDamage;
    this.#warn = warn;
    this.#now = now;
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
    if (this.#running !== null || this.#now() < this.#notBefore || this.#isCurrent()) return;
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
    const slices = sealed.seal();
    let isWhole = false;
    this.#spentMs = 0;
    try {
      while (!this.#timed(() => slices.next().done === true)) {
        await new Promise(setImmediate);
        if (this.#isClosing) return;
      }
      isWhole = true;
    } catch (error) {
      if (!(error instanceof FileDamage)) this.#warn(error);
    } finally {
      // A round that is given up holds a file open.
      slices.return();
      transaction.done();
    }
    // Once more without commits in between, before anything is called damaged.
    if (!isWhole && !this.#isClosing) this.#timed(() => this.#sealNow());
  }

  /** Puts off the next round by a multiple of the time that a part of this one takes. */
  #timed<Result>(part: () => Result): Result {
    const startedAt = this.#now();
    try {
      return part();
    } finally {
      this.#spentMs += this.#now() - startedAt;
      this.#notBefore = this.#now() + PAUSE_FACTOR * this.#spentMs;
    }
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
}
