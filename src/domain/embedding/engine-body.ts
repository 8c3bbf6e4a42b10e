// A request body with vectors added by the main thread, in the form that engine threads get: one run of bytes.
//
// Layout, little-endian: number of lists u32, bytes of JSON u32, numbers in each list u32; the JSON; the lists, 4 bytes a number.

export type NumberList = Float32Array | Uint32Array;

export interface EngineBody {
  readonly json: Uint8Array;
  /** Each list has its own buffer; both sides know its type. */
  readonly lists: readonly Uint32Array<ArrayBuffer>[];
}

const WORD_BYTES = 4;
const HEAD_WORDS = 2;

/** Returns the pieces of the body. Copies the numbers, so that the caller may keep using them. */
export function packEngineBody(
  json: readonly Uint8Array[],
  lists: readonly NumberList[],
): readonly Uint8Array[] {
  const jsonBytes = json.reduce((sum, piece) => sum + piece.byteLength, 0);
  const head = Uint32Array.of(lists.length, jsonBytes, ...lists.map((list) => list.length));
  const numbers = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    numbers.set(new Uint32Array(list.buffer, list.byteOffset, list.length), at);
    at += list.length;
  }
  return [bytesOf(head), ...json, bytesOf(numbers)].filter(({ byteLength }) => byteLength > 0);
}

/** @throws RangeError for anything but a packed body */
export function unpackEngineBody(body: Uint8Array): EngineBody {
  const head = wordsAt(body, 0, HEAD_WORDS);
  const [listCount = 0, jsonBytes = 0] = head;
  const lengths = wordsAt(body, HEAD_WORDS * WORD_BYTES, listCount);
  const jsonAt = (HEAD_WORDS + listCount) * WORD_BYTES;
  let at = jsonAt + jsonBytes;
  const lists = Array.from(lengths, (length) => {
    const list = wordsAt(body, at, length);
    at += length * WORD_BYTES;
    return list;
  });
  if (at !== body.byteLength) throw new RangeError('an engine body has another length than it says');
  return { json: body.subarray(jsonAt, jsonAt + jsonBytes), lists };
}

/** The same bits read as floats. */
export function floatsOf({ buffer }: Uint32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  return new Float32Array(buffer);
}

function bytesOf(words: Uint32Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(words.buffer);
}

/** Copies, since the offset may not be aligned. (`slice` of a Buffer would not copy.) */
function wordsAt(body: Uint8Array, at: number, count: number): Uint32Array<ArrayBuffer> {
  const end = at + count * WORD_BYTES;
  if (end > body.byteLength) throw new RangeError('an engine body is cut off');
  return new Uint32Array(new Uint8Array(body.subarray(at, end)).buffer);
}
