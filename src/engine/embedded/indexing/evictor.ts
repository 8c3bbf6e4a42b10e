// Makes room in memory for a namespace that is wanted: from the cold ones of its index first, then from other indexes.

import { FRAME_BYTES } from '../memory/arena.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import { bytesOf } from '../segments/segment-writer.ts';

/** A namespace that no query has looked at for this long makes room for one that is wanted. */
export const COLD_AFTER_SECONDS = 5;
/** How much more must be free than when memory did not suffice, for another try: in frames, and as a share. */
const MORE_FRAMES_MIN = 16;
const MORE_SHARE_MIN = 1 / 8;
/** No namespace has this number. */
const NO_NAMESPACE = 0;

/** The other indexes that memory can be had from. */
export interface PeerIndexes {
  /** Frames that emptying those that nobody uses would free. */
  evictableFrames(): number;
  /** Empties the one that nobody has used for the longest time. @returns the frames freed; 0 when none is cold */
  evictColdest(): number;
}

export const NO_PEERS: PeerIndexes = { evictableFrames: () => 0, evictColdest: () => 0 };

export interface EvictorParts {
  readonly pool: MemoryPool;
  readonly peers: PeerIndexes;
  readonly coldAfterSeconds: number;
  /** Those in memory. */
  readonly namespaces: () => Iterable<NamespaceSegments>;
  readonly drop: (namespaceId: number) => void;
}

export class Evictor {
  readonly #parts: EvictorParts;

  constructor(parts: EvictorParts) {
    this.#parts = parts;
  }

  /** Frames free now. */
  get free(): number {
    const { pool } = this.#parts;
    return pool.framesFree + pool.budget.free;
  }

  /** Frames free now, and those that can be had from what is cold. */
  reachable(wanted = NO_NAMESPACE): number {
    const cold = this.#coldOnes(wanted).reduce((sum, memory) => sum + framesOf(memory), 0);
    return this.free + cold + this.#parts.peers.evictableFrames();
  }

  /** With how much it is worth another try after memory has not sufficed. */
  moreThanNow(wanted: number): number {
    const frames = this.reachable(wanted);
    return frames + Math.max(MORE_FRAMES_MIN, frames * MORE_SHARE_MIN);
  }

  /** Makes room for so many frames. @returns false when there cannot be enough; nothing is dropped in vain then */
  makeFor(wanted: number, frames: number): boolean {
    if (frames > this.reachable(wanted)) return false;
    // What is dropped is free only when no reader looks at it any more: it is counted at once.
    for (let room = this.free; room < frames; ) {
      const made = this.make(wanted);
      if (made === 0) break;
      room += made;
    }
    return true;
  }

  /**
   * Drops the namespace that nobody has asked for the longest time, if that is long enough; where there is none,
   * another index is emptied.
   * @returns the frames freed; 0 when nothing is cold
   */
  make(wanted: number): number {
    const [coldest] = this.#coldOnes(wanted).toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (coldest === undefined) return this.#parts.peers.evictColdest();
    const frames = framesOf(coldest);
    this.#parts.drop(coldest.namespaceId);
    return Math.max(1, frames);
  }

  /** As `make`; when nothing is cold here, the other writer threads are asked. */
  makeOrAsk(wanted: number): void {
    if (this.make(wanted) === 0) this.askOthers(1);
  }

  /** Tells the other writer threads that so many frames are wanted, if there can ever be so many. */
  askOthers(frames: number): void {
    const { budget } = this.#parts.pool;
    if (frames <= budget.framesMax) budget.want();
  }

  #coldOnes(wanted: number): readonly NamespaceSegments[] {
    const coldUntil = Date.now() / 1_000 - this.#parts.coldAfterSeconds;
    return [...this.#parts.namespaces()].filter(
      ({ namespaceId, lastUsed }) => namespaceId !== wanted && lastUsed <= coldUntil,
    );
  }
}

function framesOf({ segments }: NamespaceSegments): number {
  let bytes = 0;
  for (const segment of segments) for (const part of Object.values(bytesOf(segment))) bytes += part;
  return Math.floor(bytes / FRAME_BYTES);
}
