// Text of lists of 32-bit floats, several times faster than JSON.stringify writes them.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';

/** What assembly/index.ts exports; addresses are offsets into the memory. */
interface TextModule {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  freeAddress(): number;
  writeFloats(floats: number, count: number, to: number): number;
}

const PAGE_BYTES = 65_536;
/** From the one up to the other, floats are written without exponent. */
const PLAIN_MIN = 1e-6;
const PLAIN_MAX = 1e9;
/** Of text, comma included. */
const FLOAT_BYTES_MAX = 18;

let loaded: TextModule | undefined;

/** Whether `plainListText` can write a number. */
export function isPlain(value: number): boolean {
  const size = Math.abs(value);
  return value === 0 || (size >= PLAIN_MIN && size < PLAIN_MAX);
}

/**
 * The numbers between the brackets of the JSON list, each in the fewest digits that give the float back.
 * @returns null when one of them is not plain
 */
export function plainListText(values: Float32Array): string | null {
  return writtenList(values)?.toString('latin1') ?? null;
}

/** As `plainListText`, as bytes that are valid until the next list is written. */
export function writtenList(values: Float32Array): Buffer | null {
  loaded ??= load();
  const { memory } = loaded;
  const floats = loaded.freeAddress();
  const text = floats + values.byteLength;
  const missing = text + values.length * FLOAT_BYTES_MAX - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  new Float32Array(memory.buffer, floats, values.length).set(values);
  const end = loaded.writeFloats(floats, values.length, text);
  return end === 0 ? null : Buffer.from(memory.buffer, text, end - text);
}

function load(): TextModule {
  const module = new WebAssembly.Module(readFileSync(new URL('./float-text.wasm', import.meta.url)));
  return new WebAssembly.Instance<TextModule>(module, { env: {} }).exports;
}
