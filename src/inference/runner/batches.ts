// Splits texts into batches that a provider accepts.
import type { BatchBounds } from '../ports.ts';

/**
 * Returns the positions of the texts in batches within the bounds. Groups texts of similar length, because a model
 * pads all texts of a batch to the longest.
 */
export function batchesOf(texts: readonly string[], bounds: BatchBounds): readonly (readonly number[])[] {
  const order = [...texts.keys()].sort((a, b) => lengthAt(texts, a) - lengthAt(texts, b));
  const batches: number[][] = [];
  let room = 0;
  for (const position of order) {
    const chars = lengthAt(texts, position);
    const last = batches.at(-1);
    if (last === undefined || last.length >= bounds.countMax || chars > room) {
      batches.push([position]);
      room = bounds.charsMax - chars;
    } else {
      last.push(position);
      room -= chars;
    }
  }
  return batches;
}

function lengthAt(texts: readonly string[], position: number): number {
  return texts[position]?.length ?? 0;
}
