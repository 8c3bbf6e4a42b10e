// Extracts long lists of numbers from JSON text as 32-bit floats, several times as fast as JSON.parse.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What assembly/index.ts exports; addresses are offsets into the memory. */
interface ListModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  markAddress(): number;
  freeAddress(): number;
  listCount(): number;
  takeLists(start: number, end: number, depth: number, lengths: number, floats: number): number;
}

export interface TakenLists {
  /** The text with LIST_MARK instead of each list. Valid until the next call. */
  readonly text: Uint8Array;
  /** The lists, in the order of the text. Their numbers are finite; denormals are 0. */
  readonly lists: readonly Float32Array<ArrayBuffer>[];
}

const PAGE_BYTES = 65_536;
const ALIGNMENT_BYTES = 16;
/** Zero bytes after the text, which the module may read. */
const GUARD_BYTES = 64;
/** The fewest bytes of text that make a list, and a number in one: they bound the memory for results. */
const TEXT_BYTES_A_LIST = 32;
const TEXT_BYTES_A_FLOAT = 2;
const MARK_RANDOM_BYTES = 8;

/** The string that replaces a list. It is random, so that no client can send it. */
export const LIST_MARK = randomBytes(MARK_RANDOM_BYTES).toString('hex');

let loaded: ListModule | undefined;

/**
 * Extracts the lists of 16 or more finite numbers that `depth` brackets enclose. If the remaining text is JSON, and every
 * mark in it is a value, then the original text is JSON too.
 */
export function takeLists(json: Uint8Array, depth: number): TakenLists {
  loaded ??= load();
  const { memory, freeAddress, listCount } = loaded;
  const start = freeAddress();
  const end = start + json.length;
  const lengths = aligned(end + GUARD_BYTES);
  const floats = aligned(lengths + (json.length / TEXT_BYTES_A_LIST + 1) * Uint32Array.BYTES_PER_ELEMENT);
  grow(memory, floats + (json.length / TEXT_BYTES_A_FLOAT + 1) * Float32Array.BYTES_PER_ELEMENT);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(json, start);
  bytes.fill(0, end, end + GUARD_BYTES);
  const textEnd = loaded.takeLists(start, end, depth, lengths, floats);
  const counts = new Uint32Array(memory.buffer, lengths, listCount());
  return { text: bytes.subarray(start, textEnd), lists: copyLists(memory.buffer, floats, counts) };
}

/** Copies all lists at once, because the module's memory is reused. */
function copyLists(
  memory: ArrayBuffer,
  floats: number,
  counts: Uint32Array,
): readonly Float32Array<ArrayBuffer>[] {
  let total = 0;
  for (const count of counts) total += count;
  const all = new Float32Array(memory.slice(floats, floats + total * Float32Array.BYTES_PER_ELEMENT));
  const lists: Float32Array<ArrayBuffer>[] = [];
  let first = 0;
  for (const count of counts) {
    lists.push(all.subarray(first, first + count));
    first += count;
  }
  return lists;
}

function load(): ListModule {
  const module = new WebAssembly.Module(readFileSync(new URL('./number-lists.wasm', import.meta.url)));
  const env = { parseNumber };
  const { exports } = new WebAssembly.Instance<ListModule>(module, { env });
  const { memory } = exports;
  function parseNumber(start: number, end: number): number {
    return JSON.parse(Buffer.from(memory.buffer, start, end - start).toString('latin1'));
  }
  new Uint8Array(memory.buffer).set(Buffer.from(JSON.stringify(LIST_MARK)), exports.markAddress());
  return exports;
}

function grow(memory: ListModule['memory'], bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
}

function aligned(address: number): number {
  return Math.ceil(address / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}
