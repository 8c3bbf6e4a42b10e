// What must be true of each read from a snapshot before it is used: nobody has ended its hold, and it does not cost too much.
import { fault } from '../../../domain/faults.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import { recordBytesOnDisk } from '../storage/index-files.ts';
import { endPin, PinState, pinState, type SnapshotPin } from '../storage/snapshot-pins.ts';

/** Old pages that a snapshot may keep LMDB from using again, however small the index. */
const KEPT_BYTES_MAX = 2 ** 30;

export class SnapshotGuard {
  readonly #hold: SnapshotPin;
  readonly #folder: string;
  readonly #indexName: string;
  readonly #bytesMax: number;

  /** @throws ENOENT when the index is gone */
  constructor(
    hold: SnapshotPin,
    { folder, indexName }: { readonly folder: string; readonly indexName: string },
  ) {
    this.#hold = hold;
    this.#folder = folder;
    this.#indexName = indexName;
    const bytes = recordBytesOnDisk(folder);
    this.#bytesMax = bytes + Math.max(bytes, KEPT_BYTES_MAX);
  }

  /** After a read of records, whose transaction keeps LMDB from using old pages again. @throws as assertPinned */
  assertSmall(): void {
    this.assertPinned();
    if (recordBytesOnDisk(this.#folder) > this.#bytesMax) throw overtaken();
  }

  /** After a read of rows. @throws CopyFailed overtaken or interrupted; index-not-found */
  assertPinned(): void {
    switch (pinState(this.#hold)) {
      case PinState.overtaken:
        throw overtaken();
      case PinState.gone:
        throw fault('index-not-found', { name: this.#indexName });
      case PinState.interrupted:
        throw new CopyFailed('interrupted', 'the thread that writes the index died while it was copied');
    }
  }

  /** Rows are not read any more. */
  release(): void {
    endPin(this.#hold, PinState.released);
  }
}

function overtaken(): CopyFailed {
  return new CopyFailed('overtaken', 'the index was rewritten faster than it could be copied');
}
