// The chunks of an export in order, each read on demand; releases everything as soon as it is no longer needed.

import { CopyExporter } from './export-copy.ts';
import { FrameBuffers } from './frame-buffers.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import type { SnapshotGuard } from './snapshot-guard.ts';

/** @param buffers pool of buffers to fill @returns SHA-256 of all chunks, in hexadecimal @throws as SnapshotGuard */
export function* exportChunks(
  snapshot: IndexSnapshot,
  guard: SnapshotGuard,
  buffers = new FrameBuffers(),
): Generator<Uint8Array<ArrayBuffer>, string> {
  const copy = new CopyExporter(snapshot, buffers);
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
