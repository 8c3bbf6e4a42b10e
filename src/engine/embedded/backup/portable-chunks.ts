// The chunks of a portable export: namespace after namespace, each with its records in the order of their ids.
import { Buffer } from 'node:buffer';
import { type CopiedNamespace, type FrameKind, FrameWriter, headOf } from '../../port/portable-copy.ts';
import { frameContent } from '../../port/portable-records.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { batchesOf } from './read-batches.ts';
import type { SnapshotGuard } from './snapshot-guard.ts';

/** Each chunk has a buffer of its own. @returns SHA-256 of all chunks, in hexadecimal @throws as SnapshotGuard */
export function* portableChunks(
  snapshot: IndexSnapshot,
  guard: SnapshotGuard,
): Generator<Uint8Array<ArrayBuffer>, string> {
  const frames = new FrameWriter();
  const chunk = (kind: FrameKind, content: Uint8Array) => new Uint8Array(frames.frame(kind, content));
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  yield chunk('head', json(headOf(snapshot.profile, snapshot.details())));
  for (const named of snapshot.namespaces()) {
    const { schema, isExplicit } = named.row;
    const copied: CopiedNamespace = { name: named.name, schema, isExplicit };
    yield chunk('namespace', json(copied));
    for (const { records } of batchesOf(snapshot, named, null)) {
      guard.assertSmall();
      if (records.count > 0) yield chunk('records', frameContent(records));
    }
  }
  guard.release();
  yield chunk('end', new Uint8Array());
  return frames.digest();
}
