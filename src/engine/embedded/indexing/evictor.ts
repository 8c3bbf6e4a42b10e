// Frees memory for a namespace that a query needs: evicts cold namespaces of its index first, then other indexes.
import { monotonicSeconds } from '../../../platform/monotonic-clock.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import { bytesOf } from '../segments/segment-writer.ts';

/** A namespace that no query has used for this long may be evicted. */
export const COLD_AFTER_SECONDS = 5;
/** An oversized namespace is tried again when this much more memory is obtainable: in frames, and as a share. */
const MORE_FRAMES_MIN = 16;
const MORE_SHARE_MIN = 1 / 8;
/** No namespace has this number. */
const NO_NAMESPACE = 0;

/** The other indexes of the writer thread, whose memory can be evicted. */
export interface PeerIndexes {
  /** Frames that evicting all cold indexes would free. */
  evictableFrames(): number;
  /** Evicts the least recently used index if it is cold. @returns the frames freed; 0 when none is cold */
  evictColdest(): number;
}

export const NO_PEERS: PeerIndexes = { evictableFrames: () => 0, evictColdest: () => 0 };

/** What of a namespace its eviction depends on. */
export type Evictable = Pick<NamespaceSegments, 'namespaceId' | 'lastUsed' | 'segments'>;

export interface EvictorParts {
  readonly pool: Pick<MemoryPool, 'framesFree' | 'budget'>;
  readonly peers: PeerIndexes;
  readonly coldAfterSeconds: number;
  /** Those in memory. */
  readonly namespaces: () => Iterable<Evictable>;
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

  /** Frames that are free or that eviction would free for the namespace `exceptId`. */
  obtainable(exceptId = NO_NAMESPACE): number {
    const cold = this.#coldOnes(exceptId).reduce((sum, namespace) => sum + framesOf(namespace), 0);
    return this.free + cold + this.#parts.peers.evictableFrames();
  }

  /** How many frames must be obtainable before a load that failed for lack of memory is tried again. */
  retryFrames(exceptId: number): number {
    const frames = this.obtainable(exceptId);
    return frames + Math.max(MORE_FRAMES_MIN, frames * MORE_SHARE_MIN);
  }

  /** Evicts until so many frames are free. @returns false, and evicts nothing, when there cannot be enough */
  ensureFree(exceptId: number, frames: number): boolean {
    if (frames > this.obtainable(exceptId)) return false;
    // Evicted memory is free only once no reader uses it: it is counted at once.
    for (let free = this.free; free < frames; ) {
      const evicted = this.evict(exceptId);
      if (evicted === 0) break;
      free += evicted;
    }
    return true;
  }

  /**
   * Evicts the least recently used namespace if it is cold; where there is none, a peer index.
   * @returns the frames freed; 0 when nothing is cold
   */
  evict(exceptId: number): number {
    const [coldest] = this.#coldOnes(exceptId).toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (coldest === undefined) return this.#parts.peers.evictColdest();
    const frames = framesOf(coldest);
    this.#parts.drop(coldest.namespaceId);
    return Math.max(1, frames);
  }

  /** As `evict`; when nothing is cold here, asks the other writer threads to evict. */
  evictOrAsk(exceptId: number): void {
    if (this.evict(exceptId) === 0) this.askOthers(1);
  }

  /** Asks the other writer threads to evict, unless so many frames can never be free. */
  askOthers(frames: number): void {
    const { budget } = this.#parts.pool;
    if (frames <= budget.framesMax) budget.want();
  }

  #coldOnes(exceptId: number): readonly Evictable[] {
    const coldUntil = monotonicSeconds() - this.#parts.coldAfterSeconds;
    return [...this.#parts.namespaces()].filter(
      ({ namespaceId, lastUsed }) => namespaceId !== exceptId && lastUsed <= coldUntil,
    );
  }
}

/** Frames that evicting it frees: its codes in a file, if any, take none that anybody else could use. */
function framesOf({ segments }: Evictable): number {
  let bytes = 0;
  for (const segment of segments) {
    const { codesInFile: _, ...inMemory } = bytesOf(segment);
    for (const part of Object.values(inMemory)) bytes += part;
  }
  return Math.floor(bytes / FRAME_BYTES);
}
