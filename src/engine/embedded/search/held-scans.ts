// Scans of many records in one state of the store, in slices between the other reads of a thread. They look at the store, at
// rows and into private memory, never into arenas, whose memory others may use again meanwhile.
import type { ReadTables } from '../storage/record-store.ts';
import { StoreSnapshot } from '../storage/store-snapshot.ts';
import type { LatestStore } from './latest-store.ts';
import type { ReaderContext } from './reader-context.ts';
import { resumptions } from './resumptions.ts';
import { runInSlices, type Slices } from './slices.ts';

/** Scans of an index in one thread at a time: each keeps a state of the store, of which LMDB has 1,024 for all threads. */
const SCANS_MAX = 2;

const noop = (): void => undefined;

export interface HeldScansParts {
  readonly context: Pick<ReaderContext, 'reader' | 'epochs'>;
  /** @throws index-not-found once it is closed */
  readonly store: () => LatestStore;
}

export class HeldScans {
  readonly #parts: HeldScansParts;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: HeldScansParts) {
    this.#parts = parts;
  }

  /**
   * Runs `scan` on the newest state, while no row that it can see is reused.
   * @throws index-not-found when the index is closed meanwhile
   */
  async run<Result>(scan: (tables: ReadTables) => Slices<Result>): Promise<Result> {
    while (this.#running.size >= SCANS_MAX) await Promise.race(this.#running);
    const running = this.#run(scan);
    const settled = running.then(noop, noop);
    this.#running.add(settled);
    await settled;
    this.#running.delete(settled);
    return running;
  }

  /** Resolves when none runs. Call when `store` throws. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #run<Result>(scan: (tables: ReadTables) => Slices<Result>): Promise<Result> {
    const { context, store } = this.#parts;
    const release = context.epochs.holdRows(context.reader);
    try {
      const snapshot = new StoreSnapshot(store().now);
      try {
        return await runInSlices(scan(snapshot.tables), async () => {
          await resumptions.take();
          store();
        });
      } finally {
        snapshot.close();
      }
    } finally {
      release();
    }
  }
}
