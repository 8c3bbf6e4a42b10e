// Judges from time to time whether the codes of a namespace have the right origin: its first records may say little of
// those to come, and files of earlier releases have none.
import { GAIN_MIN_ANEW, ORIGIN_ROWS_MAX, ORIGIN_ROWS_MIN, originOf } from '../ann/code-origin.ts';
import { comparable } from '../ann/code-space.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';

/** A namespace is judged again when it has grown by this factor. */
const GROWTH = 2;
/** Share of the rows that codes must describe for the others not to count. */
const DECODED_SHARE_MIN = 0.95;

export class OriginChecks {
  /** Slots of a namespace when it was last judged. */
  readonly #judged = new WeakMap<NamespaceSegments, number>();
  /** By namespace id: a namespace may have to leave memory before it gets its origin. */
  readonly #better = new Map<number, Float32Array>();

  /** Notes a namespace that was loaded. From its records, it has just got an origin, if it needs one. */
  noteLoaded(namespace: NamespaceSegments): void {
    this.forget(namespace.namespaceId);
    if (!namespace.isRestored) this.#judged.set(namespace, namespace.slotCount);
  }

  /** Judges the namespace if it has doubled since it last was: less than a millisecond where codes are in memory. */
  judge(namespace: NamespaceSegments): void {
    const judged = this.#judged.get(namespace) ?? 0;
    if (namespace.slotCount < Math.max(ORIGIN_ROWS_MIN, GROWTH * judged)) return;
    this.#judged.set(namespace, namespace.slotCount);
    const shift = shiftOf(namespace);
    const { origin } = namespace;
    const better = origin === null ? shift : shift?.map((component, at) => component + (origin[at] ?? 0));
    if (better) this.#better.set(namespace.namespaceId, better);
  }

  /** About where the origin of a namespace's codes should be, in memory or not; null while it is right, or unknown. */
  better(namespaceId: number): Float32Array | null {
    return this.#better.get(namespaceId) ?? null;
  }

  forget(namespaceId: number): void {
    this.#better.delete(namespaceId);
  }
}

/** From the present origin to a better one, which the codes themselves show; null where it is right. */
function shiftOf({ segments, slotCount, origin }: NamespaceSegments): Float32Array | null {
  const metric = segments[0]?.context.metric ?? 'dotproduct';
  if (metric === 'dotproduct') return null;
  const decoded = segments.flatMap(({ data, slotCount: slots }) =>
    evenly(slots, Math.ceil((ORIGIN_ROWS_MAX * slots) / slotCount))
      .filter((slot) => data.live.has(slot))
      .map((slot) => data.codes?.decode(slot) ?? null),
  );
  const rows = decoded.filter((row) => row !== null);
  if (rows.length < DECODED_SHARE_MIN * decoded.length) return null;
  const described = origin === null ? rows.map((row) => comparable(metric, row)) : rows;
  return originOf(described, { gainMin: GAIN_MIN_ANEW });
}

/** About `count` slots below `slots`. */
function evenly(slots: number, count: number): readonly number[] {
  return Array.from({ length: Math.min(slots, count) }, (_, at) => Math.floor((at * slots) / count));
}
