// The writes of a writer thread that have not ended, by index: whoever changes what later writes respect waits for those
// that came before. Turns are given by shares, so that a write of a busy caller may come long after a later one of another.
import type { VectorWriter } from '../../port/reader-and-writer.ts';

export class WritesUnderWay {
  readonly #byIndex = new Map<string, Set<Promise<void>>>();

  /**
   * Runs a write, which is under way from now on.
   * @param work is given a function that takes the write for ended before it is
   */
  async during<Result>(
    indexId: string,
    work: (end: () => void) => Result | Promise<Result>,
  ): Promise<Result> {
    const end = this.#begin(indexId);
    try {
      return await work(end);
    } finally {
      end();
    }
  }

  /** Resolves when those of an index that are under way now have ended. */
  async ended(indexId: string): Promise<void> {
    await Promise.all(this.#byIndex.get(indexId) ?? []);
  }

  #begin(indexId: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const writes = this.#byIndex.get(indexId) ?? new Set();
    this.#byIndex.set(indexId, writes.add(promise));
    return () => {
      resolve();
      writes.delete(promise);
      if (writes.size === 0 && this.#byIndex.get(indexId) === writes) this.#byIndex.delete(indexId);
    };
  }
}

/** The same writer, which calls `onLong` before a change that may take minutes. */
export function tellingLong(writer: VectorWriter, onLong: () => void): VectorWriter {
  return {
    upsert: (...args) => writer.upsert(...args),
    update: (...args) => writer.update(...args),
    updateMany: (...args) => writer.updateMany(...args),
    deleteIds: (...args) => writer.deleteIds(...args),
    deleteNamespace: (...args) => writer.deleteNamespace(...args),
    createNamespace: (...args) => writer.createNamespace(...args),
    updateByFilter: (...args) => {
      onLong();
      return writer.updateByFilter(...args);
    },
    deleteByFilter: (...args) => {
      onLong();
      return writer.deleteByFilter(...args);
    },
    removeExpired: (...args) => {
      onLong();
      return writer.removeExpired(...args);
    },
  };
}
