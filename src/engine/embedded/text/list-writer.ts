// The single writer of a segment's posting lists. A list has a tail, to which postings are appended at once, in a head that is
// replaced as it grows, and sealed blocks, into which full tails go (as in Busch and others, "Earlybird: real-time search at
// Twitter", 2012). Nothing that readers may see ever changes, but that a tail gets longer: they find new heads by `publish`.
import { PieceList } from '../memory/piece-list.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { listDelta } from './dictionary-writer.ts';
import { HeadMemory } from './head-memory.ts';
import { type AddedPosting, type Head, HeadWriter, TAIL_BYTES_MAX } from './head-writer.ts';
import { BLOCK_BYTES, FRAME_BYTES, LISTS_PER_BLOCK, type TextMemory } from './layout.ts';
import { framesPart, type Restoring, type SavedLists } from './saved-texts.ts';
import { StreamWriter } from './stream-writer.ts';
import type { TextDelta } from './structure.ts';
import { TermBitmaps } from './term-bitmaps.ts';

export class ListWriter {
  readonly #memory: TextMemory;
  readonly #heads: HeadMemory;
  readonly #blocks: StreamWriter;
  readonly #headWriter: HeadWriter;
  /** Blocks of the positions of heads, by number of the term. */
  readonly #lists = new PieceList();
  /** Positions of the heads that are written to, by number of the term; 0 where it is the one that readers find. */
  #current = new Uint32Array(0);
  /** Terms whose head readers cannot find yet. */
  readonly #changed: number[] = [];
  readonly #bitmaps: TermBitmaps;
  #announced = { lists: 0, heads: 0, blocks: 0 };

  constructor(memory: TextMemory) {
    this.#memory = memory;
    this.#heads = new HeadMemory(memory);
    this.#blocks = new StreamWriter(memory);
    this.#headWriter = new HeadWriter(memory, { heads: this.#heads, blocks: this.#blocks });
    this.#bitmaps = new TermBitmaps(memory, this.frames);
  }

  /**
   * Appends a posting to the list of a term; slots ascend. `lengths` has that of the slot. Readers see it after `publish`.
   * @throws when memory is full
   */
  add(term: number, slot: number, added: AddedPosting): void {
    const { posting, lengths } = added;
    const position = this.#positionOf(term);
    if (position !== 0 && this.#headWriter.addInPlace(position, slot, posting)) return;
    let head =
      position === 0 ? this.#replace(term, this.#headWriter.create(), null) : this.#headWriter.at(position);
    const bytes = this.#headWriter.encode(head, slot, posting);
    if (this.#headWriter.isFull(head, bytes))
      head = this.#sealed(term, this.#headWriter.seal(head, lengths), head);
    if (bytes > TAIL_BYTES_MAX) {
      this.#sealed(term, this.#headWriter.sealAlone(head, slot, added), head);
      return;
    }
    const grown = this.#headWriter.append(head, slot);
    if (grown !== head) this.#replace(term, grown, head);
  }

  /** Lets readers find all that was added. Call while they take no snapshots, after they were told of the deltas. */
  publish(): void {
    for (const term of this.#changed) {
      const { words, at } = this.#listAt(term);
      const before = words[at] ?? 0;
      Atomics.store(words, at, this.#current[term] ?? 0);
      if (before !== 0) this.#heads.free(before, this.#headWriter.at(before).size);
    }
    this.#changed.length = 0;
    this.#heads.reclaim();
  }

  /** The steps since the last call. */
  takeDeltas(): TextDelta[] {
    const deltas = [...this.#deltasFrom(this.#announced), ...this.#bitmaps.takeDeltas()];
    this.#announced = {
      lists: this.#lists.addresses.length,
      heads: this.#heads.frames.addresses.length,
      blocks: this.#blocks.frames.addresses.length,
    };
    return deltas;
  }

  snapshot(): TextDelta[] {
    return [...this.#deltasFrom({ lists: 0, heads: 0, blocks: 0 }), ...this.#bitmaps.snapshot()];
  }

  /** Address of the head of a term's list, 0 when it has none. */
  headAddress(term: number): number {
    const position = this.#positionOf(term);
    return position === 0 ? 0 : this.#heads.addressOf(position);
  }

  /** Addresses of the frames of heads, and of blocks. */
  get frames(): { readonly heads: readonly number[]; readonly blocks: readonly number[] } {
    return { heads: this.#heads.frames.addresses, blocks: this.#blocks.frames.addresses };
  }

  /** The lists as they are; appends may go on while the parts are read. */
  save(): { readonly saved: SavedLists; readonly parts: readonly Part[] } {
    const heads = this.#heads.save();
    const lists = new Uint8Array(this.#lists.addresses.length * BLOCK_BYTES);
    this.#eachListBlock(lists, (into, block) => into.set(block));
    const saved = { lists: this.#lists.addresses.length, heads: heads.saved, blocks: this.#blocks.save() };
    return { saved, parts: this.#parts(lists, heads.bytes) };
  }

  /** Allocates saved lists in this empty writer. @throws when memory is full */
  restore(saved: SavedLists): Restoring {
    while (this.#lists.addresses.length < saved.lists) this.#lists.push(this.#memory.block());
    const writeHeads = this.#heads.restore(saved.heads);
    this.#blocks.restore(saved.blocks);
    const lists = new Uint8Array(saved.lists * BLOCK_BYTES);
    const heads = new Uint8Array(saved.heads.frames * FRAME_BYTES);
    return {
      parts: this.#parts(lists, heads),
      finish: () => {
        this.#eachListBlock(lists, (from, block) => block.set(from));
        writeHeads(heads);
        this.#restoreBitmaps();
      },
    };
  }

  /** Makes the bitmaps of the lists that were restored. */
  #restoreBitmaps(): void {
    for (let term = 0; term < this.#lists.addresses.length * LISTS_PER_BLOCK; term++) {
      const position = this.#published(term);
      if (position === 0) continue;
      const { address, blocks } = this.#headWriter.at(position);
      for (let block = 0; block < blocks; block++) this.#bitmaps.add(term, address, block);
    }
  }

  #parts(lists: Uint8Array, heads: Uint8Array): readonly Part[] {
    return [
      { name: 'text-lists', bytes: lists, isPacked: true },
      { name: 'text-heads', bytes: heads, isPacked: true },
      framesPart('text-blocks', [...this.#blocks.frames.addresses]),
    ];
  }

  #eachListBlock(bytes: Uint8Array, visitor: (part: Uint8Array, block: Uint8Array) => void): void {
    for (const [i, address] of this.#lists.addresses.entries())
      visitor(
        bytes.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES),
        this.#memory.bytes(address + BLOCK_BYTES).subarray(address, address + BLOCK_BYTES),
      );
  }

  #deltasFrom(from: {
    readonly lists: number;
    readonly heads: number;
    readonly blocks: number;
  }): TextDelta[] {
    return [
      ...listDelta('lists', this.#lists.addresses, from.lists),
      ...listDelta('heads', this.#heads.frames.addresses, from.heads),
      ...listDelta('blocks', this.#blocks.frames.addresses, from.blocks),
    ];
  }

  /** The position of the head that is written to; 0 where a term has none. */
  #positionOf(term: number): number {
    const current = this.#current[term] ?? 0;
    return current === 0 ? this.#published(term) : current;
  }

  /** The position of the head that readers find; 0 where they find none. */
  #published(term: number): number {
    if (Math.floor(term / LISTS_PER_BLOCK) >= this.#lists.addresses.length) return 0;
    const { words, at } = this.#listAt(term);
    return words[at] ?? 0;
  }

  /** The word that leads readers to a term's head. */
  #listAt(term: number): { readonly words: Uint32Array<SharedArrayBuffer>; readonly at: number } {
    const block = this.#lists.addresses[Math.floor(term / LISTS_PER_BLOCK)] ?? 0;
    return { words: this.#memory.words(block + BLOCK_BYTES), at: block / 4 + (term % LISTS_PER_BLOCK) };
  }

  /** Makes a head with one more block that of a term. @returns it */
  #sealed(term: number, head: Head, before: Head): Head {
    this.#replace(term, head, before);
    this.#bitmaps.add(term, head.address, head.blocks - 1);
    return head;
  }

  /** Makes a head that of a term, in place of another. @returns it */
  #replace(term: number, head: Head, before: Head | null): Head {
    while (this.#lists.addresses.length <= Math.floor(term / LISTS_PER_BLOCK))
      this.#lists.push(this.#memory.block());
    if (this.#current.length <= term) this.#growCurrent(term);
    if ((before?.position ?? 0) === this.#published(term)) this.#changed.push(term);
    else if (before !== null) this.#heads.freeUnseen(before.position, before.size);
    this.#current[term] = head.position;
    return head;
  }

  #growCurrent(term: number): void {
    const grown = new Uint32Array(Math.max(LISTS_PER_BLOCK, 2 * term));
    grown.set(this.#current);
    this.#current = grown;
  }
}
