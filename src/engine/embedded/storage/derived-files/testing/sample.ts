// Shared memories filled with reproducible bytes, and parts laid out in them as an allocator would: anywhere.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type Filled, fillParts } from '../fill-parts.ts';
import type { MemoryPart, Part } from '../parts.ts';
import { dataStart, decodePreamble, PREAMBLE_BYTES } from '../preamble.ts';
import { readHeader, type Snapshot } from '../read-header.ts';
import type { Unusable } from '../unusable.ts';

const PAGE_BYTES = 65_536;
const PAGES_MAX = 65_536;

/** How many pieces of which size. */
export interface PartShape {
  readonly name: string;
  readonly count: number;
  readonly bytesEach: number;
  /** Default false. */
  readonly isPacked?: boolean;
}

export interface Sample {
  readonly memory: WebAssembly.Memory;
  readonly parts: readonly MemoryPart[];
}

/** Zeroed parts in a new memory; the seed determines the order of their pieces. */
export function emptySample(shapes: readonly PartShape[], seed: number): Sample {
  const random = randomWords(seed);
  let end = 0;
  const parts = shapes.map(({ name, count, bytesEach, isPacked = false }) => {
    const start = end;
    end += count * bytesEach;
    const addresses = Uint32Array.from({ length: count }, (_, i) => start + i * bytesEach);
    return { name, addresses: shuffled(addresses, random), bytesEach, isPacked };
  });
  const memory = new WebAssembly.Memory({
    initial: Math.ceil(end / PAGE_BYTES),
    maximum: PAGES_MAX,
    shared: true,
  });
  return { memory, parts };
}

/** The same, with reproducible bytes, of four values where parts are packed. */
export function sample(shapes: readonly PartShape[], seed: number): Sample {
  const made = emptySample(shapes, seed);
  const random = randomWords(seed + 1);
  const words = new Uint32Array(made.memory.buffer);
  const mask = shapes.some(({ isPacked }) => isPacked) ? 0x03_03_03_03 : 0xff_ff_ff_ff;
  for (let i = 0; i < words.length; i++) words[i] = random() & mask;
  return made;
}

/** All bytes of a part, in its order. */
export function bytesOf({ memory }: Sample, part: MemoryPart): Buffer {
  const pieces = Array.from(
    part.addresses,
    (address) => new Uint8Array(memory.buffer, address, part.bytesEach),
  );
  return Buffer.concat(pieces);
}

export function assertSameParts(actual: Sample, expected: Sample): void {
  for (const [i, part] of expected.parts.entries()) {
    const same = actual.parts[i];
    assert.ok(same !== undefined && bytesOf(actual, same).equals(bytesOf(expected, part)), part.name);
  }
}

/** The file's header. @throws when it cannot be used */
export function usable(path: string): Snapshot {
  const snapshot = readHeader(path);
  assert.ok(snapshot.usable, snapshot.usable ? '' : snapshot.detail);
  return snapshot;
}

/** Reads all parts of a file, whatever they are. */
export function readAll(path: string): Filled | Unusable {
  const snapshot = readHeader(path);
  if (!snapshot.usable) return snapshot;
  const { memory, parts } = emptySample(
    snapshot.parts.filter(({ bytesEach }) => bytesEach > 0),
    1,
  );
  return fillParts(snapshot, memory, parts as readonly Part[]);
}

export function isWhole(result: Filled | Unusable): boolean {
  return result.usable && result.damaged.length === 0;
}

/** Numbers of 32 bits; xorshift. */
export function randomWords(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

function shuffled(values: Uint32Array, random: () => number): Uint32Array {
  for (let i = values.length - 1; i > 0; i--) {
    const other = random() % (i + 1);
    [values[i], values[other]] = [values[other] ?? 0, values[i] ?? 0];
  }
  return values;
}

/**
 * Checks that a snapshot is refused when any single bit has changed, in so many cases: of all bytes of its preamble, and
 * half of the others where the file is described. Leaves the file as it was.
 */
export function assertNoBitMayChange(path: string, cases: number): void {
  const bytes = readFileSync(path);
  const random = randomWords(11);
  const head = dataStart(decodePreamble(bytes.subarray(0, PREAMBLE_BYTES)));
  for (let i = 0; i < cases; i++) {
    const at = i < PREAMBLE_BYTES ? i : random() % (i % 2 === 0 ? head : bytes.length);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (random() % 8));
    writeFileSync(path, changed);
    assert.equal(isWhole(readAll(path)), false, `byte ${at}`);
  }
  writeFileSync(path, bytes);
  assert.equal(isWhole(readAll(path)), true);
}
