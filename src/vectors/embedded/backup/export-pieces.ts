// The pieces of an export in order, each read when it is asked for; lets go of everything as soon as it is not needed any more.
import type { IndexSnapshot } from './index-snapshot.ts';
import type { SnapshotGuard } from './snapshot-guard.ts';
import { CopyWriter } from './write-copy.ts';

/** @throws as SnapshotGuard */
export function* exportPieces(
  snapshot: IndexSnapshot,
  guard: SnapshotGuard,
): Generator<Uint8Array<ArrayBuffer>> {
  const copy = new CopyWriter(snapshot);
  for (const piece of copy.records()) {
    guard.assertSmall();
    yield piece;
  }
  snapshot.endTransaction();
  for (const piece of copy.rows()) {
    guard.assertHeld();
    yield piece;
  }
  guard.release();
  yield* copy.files();
  yield* copy.end();
}
