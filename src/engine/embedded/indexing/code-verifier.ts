// Compares codes that are mapped from derived files with their checksums, for all indexes of a thread: one file at a time,
// so that together they take no more of the disk, of memory and of the runtime's pool than one. Those that are done soonest
// come first: until then, nothing is saved of their namespaces.
import { setTimeout as pause } from 'node:timers/promises';
import { CODES } from '../segments/saved-segment.ts';
import { MappedPart, type Verified } from '../storage/derived-files/mapped-part.ts';
import { sizeOf } from '../storage/derived-files/parts.ts';
import type { Snapshot } from '../storage/derived-files/read-header.ts';

/** How often a file is tried that cannot be opened while too many are. */
const OPEN_AGAIN_MS = 200;
/** Files of which it is remembered how far they were verified, 200 bytes each. */
const FILES_REMEMBERED_MAX = 4_096;

/** `gone`: the file was removed or replaced while it waited, which says nothing of what is mapped from it. */
export type Verdict = 'whole' | 'damaged' | 'gone';

interface Progress extends Verified {
  isWhole: boolean;
}

export class CodeVerifier {
  /** Gives their turn to those that wait; by it, the bytes that are left of their files. */
  readonly #waiting = new Map<() => void, number>();
  #isBusy = false;
  /** By path and id; what was used last comes last. */
  readonly #progress = new Map<string, Progress>();

  /**
   * Verifies the codes of a file when it is its turn: what of them was not verified before. It is open only then: mapped
   * codes need it no more.
   * @returns `damaged` also when they cannot be read
   * @throws the signal's reason, at once while it waits
   */
  async verify(file: Snapshot, signal: AbortSignal): Promise<Verdict> {
    const progress = this.#progressOf(file);
    if (progress.isWhole) return 'whole';
    await this.#turn(codeBytesOf(file) - progress.bytes, signal);
    try {
      const verdict = await this.#verify(file, progress, signal);
      progress.isWhole = verdict === 'whole';
      return verdict;
    } finally {
      this.#giveTurn();
    }
  }

  /** What is evicted again and again is verified piece by piece, and only once. */
  #progressOf({ path, id }: Snapshot): Progress {
    const key = `${id} ${path}`;
    const progress = this.#progress.get(key) ?? { chunks: 0, bytes: 0, isWhole: false };
    this.#progress.delete(key);
    this.#progress.set(key, progress);
    const [oldest = key] = this.#progress.keys();
    if (this.#progress.size > FILES_REMEMBERED_MAX) this.#progress.delete(oldest);
    return progress;
  }

  async #verify(file: Snapshot, progress: Progress, signal: AbortSignal): Promise<Verdict> {
    for (;;) {
      signal.throwIfAborted();
      const part = MappedPart.open(file, CODES);
      if (part instanceof MappedPart) {
        try {
          return (await part.isWhole(signal, progress)) ? 'whole' : 'damaged';
        } finally {
          part.close();
        }
      }
      if (part?.reason === 'missing') return 'gone';
      if (part?.reason !== 'exhausted') return 'damaged';
      await pause(OPEN_AGAIN_MS, undefined, { signal, ref: false });
    }
  }

  async #turn(bytesLeft: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isBusy) {
      this.#isBusy = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.set(resolve, bytesLeft);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #giveTurn(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#isBusy = false;
      return;
    }
    const [next] = [...this.#waiting].reduce((least, each) => (each[1] < least[1] ? each : least), first);
    this.#waiting.delete(next);
    next();
  }
}

function codeBytesOf({ parts }: Snapshot): number {
  return parts.reduce((sum, part) => (part.name === CODES ? sum + sizeOf(part) : sum), 0);
}
