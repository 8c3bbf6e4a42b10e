// Parses bodies that are mostly dense vectors: reads the numbers itself, and everything else with JSON.parse.
import { Fault } from '../../../domain/faults.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { LIST_MARK, takeLists } from './number-lists/take-lists.ts';
import { parseBody, parseObject, refuseTooBig } from './parse-body.ts';

/** Where the vectors of a body are. */
export interface VectorLayout {
  /** How many brackets enclose each list. */
  readonly depth: number;
  /** Returns the objects that may have a vector, in the order of the text. Other values among them are ignored. */
  readonly parents: (body: JsonObject) => readonly unknown[];
  /** The name of the vector's field in those objects. */
  readonly field: string;
}

/**
 * Parses a body as `parseBody` does, except that vectors may be Float32Arrays, in which denormals are 0. JSON.parse
 * takes three to four times as long for numbers of 9 to 17 digits, and makes that much more garbage. A body that is not
 * JSON, or has a list elsewhere, goes to `parseBody` as a whole, so this accepts and refuses the same bodies.
 * @throws as parseBody
 */
export function parseVectorBody(body: Uint8Array | JsonObject, layout: VectorLayout): JsonObject {
  if (!(body instanceof Uint8Array)) return body;
  refuseTooBig(body.byteLength);
  const { text, lists } = takeLists(body, layout.depth);
  const request = lists.length > 0 ? parseOrNull(text) : null;
  return request !== null && putBack(request, lists, layout) ? request : parseBody(body);
}

function parseOrNull(text: Uint8Array): JsonObject | null {
  try {
    return parseObject(text, 'The request body');
  } catch (error) {
    // `parseBody` refuses it, with a message about the original body.
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** Replaces marks by their lists. @returns false unless it has replaced the mark of every list */
function putBack(request: JsonObject, lists: readonly Float32Array[], layout: VectorLayout): boolean {
  const { parents, field } = layout;
  let next = 0;
  for (const parent of parents(request)) {
    if (!isObject(parent) || parent[field] !== LIST_MARK) continue;
    parent[field] = lists[next++];
  }
  // With as many marks as lists, no mark is elsewhere and none was lost to a duplicate name: they are in the lists' order.
  return next === lists.length;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
