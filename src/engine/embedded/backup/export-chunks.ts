// The pieces of an export in order, each read when it is asked for; lets go of everything as soon as it is not needed any more.

import { CopyExporter } from './export-copy.ts';
import { FrameBuffers } from './frame-buffers.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import type { SnapshotGuard } from './snapshot-guard.ts';

/** @param rooms where buffers go that are used up @returns SHA-256 of all pieces, in hexadecimal @throws as SnapshotGuard */
export function* exportChunks(
  snapshot: IndexSnapshot,
  guard: SnapshotGuard,
  rooms = new FrameBuffers(),
): Generator<Uint8Array<ArrayBuffer>, string> {
  const copy = new CopyExporter(snapshot, rooms);
  for (const piece of copy.records()) {
    guard.assertSmall();
    yield piece;
  }
  snapshot.endTransaction();
  for (const piece of copy.rows()) {
    guard.assertPinned();
    yield piece;
  }
  guard.release();
  yield* copy.files();
  yield* copy.end();
  return copy.sha256();
}
