// The length in tokens of one text field, for each slot, as codes of 16 bits.
import {
  TEXT_LENGTH_EXACT_MAX,
  TEXT_LENGTH_STEP_SHIFT,
  TEXT_LENGTHS_SHIFT,
} from '../kernels/text-lists-constants.ts';
import { BLOCK_BYTES, type TextMemory } from './layout.ts';
import type { SavedLengths } from './saved-texts.ts';

const SLOTS_PER_BLOCK = 1 << TEXT_LENGTHS_SHIFT;
const CODE_MAX = 0xffff;

export class FieldLengths {
  /** By number of the block; 0 where no slot of it has the field. */
  readonly blocks: number[] = [];
  readonly #memory: TextMemory;
  #tokens = 0;
  #slots = 0;
  /** Lengths that codes do not tell exactly, by slot. */
  readonly #long = new Map<number, number>();

  constructor(memory: TextMemory) {
    this.#memory = memory;
  }

  /** @throws when memory is full */
  set(slot: number, tokens: number): void {
    const number = slot >>> TEXT_LENGTHS_SHIFT;
    while (this.blocks.length < number) this.blocks.push(0);
    if (this.blocks.length === number) this.blocks.push(this.#memory.block());
    const block = this.blocks[number] ?? 0;
    const bytes = this.#memory.bytes(block + BLOCK_BYTES);
    bytes.writeUInt16LE(lengthCode(tokens), block + 2 * (slot % SLOTS_PER_BLOCK));
    if (tokens >= TEXT_LENGTH_EXACT_MAX) this.#long.set(slot, tokens);
    this.#tokens += tokens;
    this.#slots = slot + 1;
  }

  /** The average length over all slots, about: tombstones count, too. */
  get average(): number {
    return this.#slots === 0 ? 1 : this.#tokens / this.#slots;
  }

  /** Allocates the blocks of saved lengths, in this empty list. @throws when memory is full */
  restore({ numbers, tokens, slots, long }: SavedLengths): void {
    for (const number of numbers) {
      while (this.blocks.length < number) this.blocks.push(0);
      this.blocks.push(this.#memory.block());
    }
    this.#tokens = tokens;
    this.#slots = slots;
    for (const [slot, length] of long) this.#long.set(slot, length);
  }

  /** Forgets what was appended while the lengths were saved. */
  clearFrom(slotCount: number): void {
    const first = slotCount >>> TEXT_LENGTHS_SHIFT;
    for (const [number, block] of this.blocks.entries()) {
      if (number < first || block === 0) continue;
      const from = number === first ? 2 * (slotCount % SLOTS_PER_BLOCK) : 0;
      this.#memory.bytes(block + BLOCK_BYTES).fill(0, block + from, block + BLOCK_BYTES);
    }
  }

  save(): SavedLengths {
    const numbers = this.blocks.flatMap((address, number) => (address === 0 ? [] : [number]));
    return { numbers, tokens: this.#tokens, slots: this.#slots, long: [...this.#long] };
  }

  /** Tokens of the field in all slots of a bitmap; yields between blocks of slots. */
  *tokensIn(live: Uint32Array): Generator<void, number> {
    let tokens = 0;
    for (let block = 0; block < this.blocks.length; block++) {
      if (this.blocks[block] !== 0) tokens += this.#tokensInBlock(block, live);
      yield;
    }
    return tokens;
  }

  #tokensInBlock(block: number, live: Uint32Array): number {
    const first = block << TEXT_LENGTHS_SHIFT;
    const end = Math.min(first + SLOTS_PER_BLOCK, live.length * 32);
    let tokens = 0;
    for (let slot = first; slot < end; slot++)
      if (((live[slot >>> 5] ?? 0) >>> (slot & 31)) % 2 === 1)
        tokens += this.#long.get(slot) ?? this.lengthOf(slot);
    return tokens;
  }

  /** A slot's length, as scores are computed with it. */
  lengthOf(slot: number): number {
    const block = this.blocks[slot >>> TEXT_LENGTHS_SHIFT] ?? 0;
    const bytes = this.#memory.bytes(block + BLOCK_BYTES);
    const at = block + 2 * (slot % SLOTS_PER_BLOCK);
    return lengthOfCode((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8));
  }
}

/** The length that a code stands for. */
export function lengthOfCode(code: number): number {
  if (code < TEXT_LENGTH_EXACT_MAX) return code;
  return TEXT_LENGTH_EXACT_MAX + ((code - TEXT_LENGTH_EXACT_MAX) << TEXT_LENGTH_STEP_SHIFT);
}

/** Codes ascend with the lengths; those of long texts stand for several. */
function lengthCode(tokens: number): number {
  if (tokens < TEXT_LENGTH_EXACT_MAX) return tokens;
  return Math.min(
    CODE_MAX,
    TEXT_LENGTH_EXACT_MAX + ((tokens - TEXT_LENGTH_EXACT_MAX) >>> TEXT_LENGTH_STEP_SHIFT),
  );
}
