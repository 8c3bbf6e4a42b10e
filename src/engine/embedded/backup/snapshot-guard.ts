// Checks each read from a snapshot before it is used: its pin must not have ended, and it must not cost too much space.
import { fault } from '../../../domain/faults.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import { recordBytesOnDisk } from '../storage/index-files.ts';
import { endPin, PinState, pinState, type SnapshotPin } from '../storage/snapshot-pins.ts';

/** Bytes of old pages that a snapshot may keep LMDB from reusing, however small the index. */
const KEPT_BYTES_MAX = 2 ** 30;

export class SnapshotGuard {
  readonly #pin: SnapshotPin;
  readonly #folder: string;
  readonly #indexName: string;
  readonly #bytesMax: number;

  /** @throws ENOENT when the index is gone */
  constructor(
    pin: SnapshotPin,
    { folder, indexName }: { readonly folder: string; readonly indexName: string },
  ) {
    this.#pin = pin;
    this.#folder = folder;
    this.#indexName = indexName;
    const bytes = recordBytesOnDisk(folder);
    this.#bytesMax = bytes + Math.max(bytes, KEPT_BYTES_MAX);
  }

  /** Call after a read of records, whose transaction keeps LMDB from reusing old pages. @throws as assertPinned */
  assertSmall(): void {
    this.assertPinned();
    if (recordBytesOnDisk(this.#folder) > this.#bytesMax) throw overtaken();
  }

  /** Call after a read of rows. @throws CopyFailed overtaken or interrupted; index-not-found */
  assertPinned(): void {
    switch (pinState(this.#pin)) {
      case PinState.overtaken:
        throw overtaken();
      case PinState.gone:
        throw fault('index-not-found', { name: this.#indexName });
      case PinState.interrupted:
        throw new CopyFailed('interrupted', 'the thread that writes the index died while it was copied');
    }
  }

  /** Call when rows are not read any more. */
  release(): void {
    endPin(this.#pin, PinState.released);
  }
}

function overtaken(): CopyFailed {
  return new CopyFailed('overtaken', 'the index was rewritten faster than it could be copied');
}
