// Parses bodies that are mostly dense vectors: the numbers beside JSON.parse, everything else by it.
import { Fault } from '../../../domain/faults.ts';
import type { JsonObject } from '../../../domain/records/vector-record.ts';
import { LIST_MARK, takeLists } from './number-lists/take-lists.ts';
import { parseBody, parseObject, refuseTooBig } from './parse-body.ts';

/** Where a body has its vectors. */
export interface VectorPlaces {
  /** Brackets around each list. */
  readonly depth: number;
  /** The objects that may have one, in the order of the text, with anything else that lies where they should. */
  readonly holders: (body: JsonObject) => readonly unknown[];
  /** Its name there. */
  readonly field: string;
}

/**
 * As `parseBody`, but that vectors in their places may be Float32Arrays, without denormal floats: JSON.parse reads numbers of
 * 9 to 17 digits three to four times slower, and leaves as much to collect. Whatever a list was taken from that
 * is no such place, or no JSON, is parsed as a whole: nothing is taken or refused that `parseBody` would not.
 * @throws as parseBody
 */
export function parseVectorBody(body: Uint8Array | JsonObject, places: VectorPlaces): JsonObject {
  if (!(body instanceof Uint8Array)) return body;
  refuseTooBig(body.byteLength);
  const { text, lists } = takeLists(body, places.depth);
  const request = lists.length > 0 ? parseOrNull(text) : null;
  return request !== null && putBack(request, lists, places) ? request : parseBody(body);
}

function parseOrNull(text: Uint8Array): JsonObject | null {
  try {
    return parseObject(text, 'The request body');
  } catch (error) {
    // The refusal must be of the body as it came.
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** @returns false unless every list has found its place */
function putBack(request: JsonObject, lists: readonly Float32Array[], places: VectorPlaces): boolean {
  const { holders, field } = places;
  let next = 0;
  for (const holder of holders(request)) {
    if (!isObject(holder) || holder[field] !== LIST_MARK) continue;
    holder[field] = lists[next++];
  }
  // As many marks as lists: none is elsewhere, and none was lost to a name that came twice. So they are in the lists' order.
  return next === lists.length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
