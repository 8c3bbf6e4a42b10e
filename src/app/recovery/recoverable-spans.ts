// The moments to which an index can be recovered, from what the shipper knows of its timeline.
import { storageIdOf } from '../../domain/index-model.ts';
import type { IndexVersion, PastIndex } from './index-versions.ts';
import type { ShippedStorage, ShippingState } from './shipping-state.ts';

/** Moments in milliseconds since 1970, both of them within. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The oldest first. @param kept the earliest moment that is kept */
export function recoverableSpans(
  { versions, to }: PastIndex,
  { storages, completeAt, catalogs }: Pick<ShippingState, 'storages' | 'completeAt' | 'catalogs'>,
  kept: number,
): readonly Span[] {
  const end = Math.min(to ?? completeAt, completeAt);
  const start = Math.max(kept, catalogs[0]?.at ?? Number.POSITIVE_INFINITY);
  const spans: Span[] = [];
  for (const [i, { from, to: last = end, index }] of versions.entries()) {
    const next = versions[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    const limits = { from: Math.max(from, start), to: Math.min(end, last, next - 1) };
    const storage = storages[storageIdOf(index)];
    for (const span of storage === undefined ? [] : spansOf(storage)) add(spans, within(span, limits));
  }
  return spans;
}

/** What the index was like at a moment; undefined where it was not known then. */
export function versionAt({ versions }: PastIndex, moment: number): IndexVersion | undefined {
  return versions.findLast(({ from }) => from <= moment);
}

/** Between its first copy and the end, without the gaps. */
function spansOf({ bases, gaps = [] }: ShippedStorage): readonly Span[] {
  const [first] = bases;
  if (first === undefined) return [];
  const spans: Span[] = [];
  let from = first.at;
  for (const { after, until } of gaps) {
    spans.push({ from, to: after });
    if (until === null) return spans;
    from = Math.max(from, until);
  }
  return [...spans, { from, to: Number.POSITIVE_INFINITY }];
}

function within(span: Span, limits: Span): Span {
  return { from: Math.max(span.from, limits.from), to: Math.min(span.to, limits.to) };
}

/** Joins it to the one before, where no moment is between them. */
function add(spans: Span[], span: Span): void {
  if (span.from > span.to) return;
  const last = spans.at(-1);
  if (last === undefined || span.from > last.to + 1) spans.push(span);
  else spans[spans.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
}
