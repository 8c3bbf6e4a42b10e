// Makes copies of indexes beside their log, one at a time.
import type { Blobs } from '../../blobs/port.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { PART_BYTES } from '../backups/archive-format.ts';
import { cutStream } from '../backups/cut-stream.ts';
import {
  type BaseManifest,
  basePartKey,
  basePrefix,
  MANIFEST,
  once,
  RECOVERY_FORMAT,
  sealed,
} from './log-format.ts';

export interface BaseMakerParts {
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'copies'>;
  readonly now: () => number;
}

export interface BaseRequest {
  readonly timeline: string;
  readonly profile: IndexProfile;
  /** The first object that may have writes that the copy does not have. */
  readonly number: number;
  readonly signal: AbortSignal;
  /** Of the copy; sorts by time. */
  readonly id: string;
  /** Called when the writes are known that the copy has. */
  readonly onOpened: (lsn: number) => void;
}

/** The copy exists only once its manifest, written last, does. */
export async function makeBase(
  { blobs, engine, now }: BaseMakerParts,
  { id, timeline, profile, number, signal, onOpened }: BaseRequest,
): Promise<{ readonly manifest: BaseManifest; readonly bytes: number }> {
  const copy = await engine.copies(profile).export({ signal });
  try {
    const lsn = copy.seq;
    const place = { id, storage: profile.id };
    const at = now();
    onOpened(lsn);
    const parts: number[] = [];
    for await (const part of cutStream(copy.bytes, PART_BYTES)) {
      const { bytes } = await blobs.put(basePartKey(timeline, place, parts.length), part, { signal });
      parts.push(bytes);
    }
    const sha256 = await copy.sha256;
    const manifest: BaseManifest = { format: RECOVERY_FORMAT, ...place, lsn, at, number, parts, sha256 };
    await blobs.put(`${basePrefix(timeline, place)}${MANIFEST}`, once(sealed(manifest)), { signal });
    return { manifest, bytes: parts.reduce((sum, bytes) => sum + bytes, 0) };
  } finally {
    await copy.release();
  }
}
