// Bitmaps have the slots of frequent terms, and make lists neither wait nor fail.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { TEXT_PAGE_SHIFT } from '../kernels/text-lists-constants.ts';
import { ArenaFull } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { FieldLengths } from './field-lengths.ts';
import { BLOCK_BYTES, type TextMemory } from './layout.ts';
import { ListWriter } from './list-writer.ts';
import { arenaMemory, newArena } from './testing/arena-memory.ts';
import { TextReader } from './text-reader.ts';

const PAGE_SLOTS = 2 ** TEXT_PAGE_SHIFT;
/** In most slots, with one to three occurrences. */
const FREQUENT = 1_500;
/** In every other slot of the first page, in one of 64 of the second. */
const EARLY = 3;
/** In one of 16 slots: too few. */
const RARE = 4;

/** Occurrences by slot, by term. */
type Model = Map<number, Map<number, number>>;

/** Lists of two whole pages, one posting of each term in each slot that has it. */
function filled(memory: TextMemory, writer: ListWriter): Model {
  const random = new Random(3);
  const lengths = new FieldLengths(memory);
  const model: Model = new Map([FREQUENT, EARLY, RARE].map((term) => [term, new Map()]));
  for (let slot = 0; slot < 2 * PAGE_SLOTS + 1_000; slot++) {
    lengths.set(slot, 10);
    const isEarly = slot < PAGE_SLOTS ? slot % 2 === 0 : slot % 64 === 0;
    const has = new Map([
      [FREQUENT, random.integer(5) > 0],
      [EARLY, isEarly],
      [RARE, slot % 16 === 0],
    ]);
    for (const [term, isThere] of has) {
      if (!isThere) continue;
      const occurrences = term === FREQUENT ? 1 + random.integer(3) : 1;
      model.get(term)?.set(slot, occurrences);
      const more = Array.from({ length: occurrences - 1 }, (_, i) => i + 2);
      writer.add(term, slot, { posting: { occurrences, first: 1, more }, lengths });
    }
  }
  writer.publish();
  return model;
}

/** The slots that a page has, and those with more than one occurrence. */
function slotsOf(arena: Arena, address: number, page: number): readonly (readonly number[])[] {
  const words = arena.words(address + BLOCK_BYTES).subarray(address / 4, (address + BLOCK_BYTES) / 4);
  return [0, 2].map((first) =>
    Array.from({ length: PAGE_SLOTS }, (_, slot) => slot)
      .filter((slot) => ((words[4 * (slot >>> 6) + first + ((slot >>> 5) & 1)] ?? 0) >>> (slot & 31)) & 1)
      .map((slot) => page * PAGE_SLOTS + slot),
  );
}

function assertPages(arena: Arena, reader: TextReader, model: Model): void {
  const missing = (term: number) => reader.bitmapOf(term).map((address) => address === 0);
  assert.deepEqual([FREQUENT, EARLY, RARE].map(missing), [[false, false], [false], []]);
  for (const [term, slots] of model)
    for (const [page, address] of reader.bitmapOf(term).entries()) {
      const inPage = [...slots].filter(([slot]) => slot >>> TEXT_PAGE_SHIFT === page);
      const expected = [inPage, inPage.filter(([, occurrences]) => occurrences > 1)];
      assert.deepEqual(
        slotsOf(arena, address, page),
        expected.map((found) => found.map(([slot]) => slot)),
      );
    }
}

function copy(arena: Arena, part: Part): Buffer {
  if (!('addresses' in part)) return Buffer.from(part.bytes);
  const pieces = Array.from(part.addresses, (at) =>
    arena.bytes(at + part.bytesEach).subarray(at, at + part.bytesEach),
  );
  return Buffer.concat(pieces);
}

function fill(arena: Arena, part: Part, bytes: Buffer): void {
  if (!('addresses' in part)) {
    part.bytes.set(bytes);
    return;
  }
  for (const [i, at] of Array.from(part.addresses).entries())
    arena.bytes(at + part.bytesEach).set(bytes.subarray(i * part.bytesEach, (i + 1) * part.bytesEach), at);
}

it('has a page where a term is frequent, with its slots and those that have it more than once', () => {
  const arena = newArena();
  const memory = arenaMemory(arena);
  const writer = new ListWriter(memory);
  const model = filled(memory, writer);
  assertPages(arena, new TextReader(memory, { seed: 1, structure: writer.snapshot() }), model);
  assertPages(arena, new TextReader(memory, { seed: 1, structure: writer.takeDeltas() }), model);
});

it('has the same pages in a list that is restored', () => {
  const arena = newArena();
  const memory = arenaMemory(arena);
  const writer = new ListWriter(memory);
  const model = filled(memory, writer);
  const { saved, parts } = writer.save();
  const restored = new ListWriter(memory);
  const restoring = restored.restore(saved);
  for (const [i, part] of restoring.parts.entries()) fill(arena, part, copy(arena, parts[i] as Part));
  restoring.finish();
  assertPages(arena, new TextReader(memory, { seed: 1, structure: restored.snapshot() }), model);
});

it('goes on without pages where memory has none for them', () => {
  const arena = newArena();
  const memory = arenaMemory(arena);
  let blocksLeft = 2;
  const block = () => {
    if (--blocksLeft < 0) throw new ArenaFull();
    return memory.block();
  };
  const writer = new ListWriter({ ...memory, block });
  filled(memory, writer);
  const reader = new TextReader(memory, { seed: 1, structure: writer.snapshot() });
  for (const term of [FREQUENT, EARLY]) {
    assert.deepEqual(reader.bitmapOf(term), []);
    assert.notEqual(reader.listOf(term), 0);
  }
});
