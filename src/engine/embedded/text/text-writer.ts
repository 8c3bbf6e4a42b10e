// The single writer of a segment's text index: appends the texts of records to the forward index, and indexes every full
// chunk of them in posting lists.
import { saturation } from '../../../domain/full-text/scoring/bm25.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import { PieceList } from '../memory/piece-list.ts';
import { CHUNK_SLOTS_MAX, CHUNK_TERMS_MAX } from '../sparse/layout.ts';
import { writeLists } from '../sparse/posting-list-writer.ts';
import { TermSorter } from '../sparse/term-sorter.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { DictionaryWriter, listDelta } from './dictionary-writer.ts';
import { visitEntry } from './entry-decoder.ts';
import { encodeEntry, type RecordTexts, type TextField } from './entry-encoder.ts';
import {
  addressAt,
  BLOCK_BYTES,
  FIELDS_MAX,
  SLOTS_PER_BLOCK,
  TERM_COUNT_AT,
  type TextMemory,
} from './layout.ts';
import {
  blocksPart,
  framesPart,
  type Restoring,
  type SavedTextChunk,
  type SavedTexts,
  TEXTS_VERSION,
} from './saved-texts.ts';
import { StreamWriter } from './stream-writer.ts';
import type { TextChunk, TextDelta, TextStructure } from './structure.ts';

/** Records of more distinct terms are in no posting list: each query reads them. */
const LISTED_TERMS_MAX = 2 ** 18;

export interface TextWriterOptions {
  /** The text fields and their analysis. */
  readonly fields: ReadonlyMap<string, TextAnalysis>;
  /** A secret of the index, the same for readers. */
  readonly seed: number;
  /** Slots of a chunk; default and maximum CHUNK_SLOTS_MAX. */
  readonly chunkSlots?: number;
}

/** Shared, because the writers of a thread build one chunk at a time. */
const sorter = new TermSorter();

export class TextWriter {
  readonly #memory: TextMemory;
  readonly #fields: readonly (readonly [name: string, field: TextField])[];
  readonly #dictionary: DictionaryWriter;
  readonly #entries: StreamWriter;
  readonly #slotBlocks = new PieceList();
  readonly #chunks: TextChunk[] = [];
  /** Slots of the records that no chunk lists. */
  readonly #large: number[] = [];
  readonly #chunkSlots: number;
  /** Of everything appended, live or not: the average lengths that chunks are made with. */
  readonly #appended = { records: 0, tokens: new Float64Array(FIELDS_MAX) };
  #unindexed = { firstSlot: 0, terms: 0 };
  #lastSlot = -1;
  #statistics = 0;
  #announced = { statistics: false, entries: 0, slots: 0, large: 0, chunks: 0 };

  constructor(memory: TextMemory, { fields, seed, chunkSlots = CHUNK_SLOTS_MAX }: TextWriterOptions) {
    this.#memory = memory;
    this.#fields = Array.from(fields, ([name, analysis], number) => [name, { number, analysis }] as const);
    this.#dictionary = new DictionaryWriter(memory, seed);
    this.#entries = new StreamWriter(memory);
    this.#chunkSlots = Math.min(chunkSlots, CHUNK_SLOTS_MAX);
  }

  /**
   * Appends the texts among the stored fields of the record in `slot`. They count once `count` was called. Slots must
   * ascend. When this throws because memory is full, the slot is spent and must never count as live.
   */
  append(slot: number, metadata: Metadata): void {
    const texts = this.#textsOf(metadata);
    this.#appended.records++;
    if (texts.length === 0) return;
    if (this.#statistics === 0) this.#statistics = this.#memory.block();
    const { bytes, length, terms } = encodeEntry(texts, this.#dictionary);
    if (this.#isFull(slot, terms)) {
      this.#close();
      this.#unindexed = { firstSlot: slot, terms: 0 };
    }
    this.#setPosition(slot, this.#entries.append(bytes, length));
    this.#dictionary.sort();
    this.#numbers()[TERM_COUNT_AT] = this.#dictionary.count;
    this.#visit(slot, {
      field: (field, tokens) => {
        this.#appended.tokens[field] = (this.#appended.tokens[field] ?? 0) + tokens;
      },
      term: () => {},
    });
    if (terms > LISTED_TERMS_MAX) this.#large.push(slot);
    else this.#unindexed.terms += terms;
    this.#lastSlot = slot;
  }

  /** Counts the record of a slot in or out of the statistics. Call only while readers take no snapshots. */
  count(slot: number, change: 1 | -1): void {
    if (slot > this.#lastSlot || this.#positionOf(slot) === 0) return;
    const numbers = this.#numbers();
    this.#visit(slot, {
      field: (field, tokens) => {
        numbers[field] = (numbers[field] ?? 0) + change * tokens;
      },
      term: (term) => this.#dictionary.countHolder(term, change),
    });
  }

  /** The steps since the last call, to be posted to every reader. */
  takeDeltas(): TextStructure {
    const { statistics, entries, slots, large, chunks } = this.#announced;
    const deltas = [
      ...(statistics ? [] : this.#statisticsDelta()),
      ...this.#dictionary.takeDeltas(),
      ...this.#deltasFrom({ entries, slots, large, chunks }),
    ];
    this.#announced = {
      statistics: this.#statistics !== 0,
      entries: this.#entries.frames.addresses.length,
      slots: this.#slotBlocks.addresses.length,
      large: this.#large.length,
      chunks: this.#chunks.length,
    };
    return deltas;
  }

  /** The whole structure, for a reader that joins late; it may overlap with deltas not taken yet. */
  snapshot(): TextStructure {
    const all = { entries: 0, slots: 0, large: 0, chunks: 0 };
    return [...this.#statisticsDelta(), ...this.#dictionary.snapshot(), ...this.#deltasFrom(all)];
  }

  /** True when a saved index is of these fields, and of this version. */
  isRestorable({ version, fields }: SavedTexts): boolean {
    return version === TEXTS_VERSION && fields === this.#fieldsJson;
  }

  /** The index as published; appends may go on while the parts are read. */
  save(): { readonly saved: SavedTexts; readonly parts: readonly Part[] } {
    const dictionary = this.#dictionary.save();
    const saved: SavedTexts = {
      version: TEXTS_VERSION,
      fields: this.#fieldsJson,
      dictionary: dictionary.saved,
      entries: this.#entries.save(),
      slotBlocks: this.#slotBlocks.addresses.length,
      lastSlot: this.#lastSlot,
      unindexed: { ...this.#unindexed },
      appended: {
        records: this.#appended.records,
        tokens: Array.from(this.#appended.tokens.subarray(0, this.#fields.length)),
      },
      large: [...this.#large],
      chunks: this.#chunks.map((chunk) => ({ ...chunk, frames: chunk.frames.length })),
    };
    // Counts change in place.
    const statistics = new Uint8Array(this.#statistics === 0 ? [] : this.#statisticsBytes());
    return { saved, parts: [...dictionary.parts, ...this.#parts(statistics)] };
  }

  /** Allocates a saved index in this empty one. @throws when memory is full */
  restore(saved: SavedTexts, slotCount: number): Restoring {
    const dictionary = this.#dictionary.restore(saved.dictionary);
    this.#entries.restore(saved.entries);
    while (this.#slotBlocks.addresses.length < saved.slotBlocks) this.#slotBlocks.push(this.#memory.block());
    for (const chunk of saved.chunks) this.#chunks.push(this.#restoredChunk(chunk));
    for (const slot of saved.large) this.#large.push(slot);
    this.#lastSlot = saved.lastSlot;
    this.#unindexed = { ...saved.unindexed };
    this.#appended.records = saved.appended.records;
    this.#appended.tokens.set(saved.appended.tokens);
    if (saved.slotBlocks > 0) this.#statistics = this.#memory.block();
    const statistics = new Uint8Array(saved.slotBlocks > 0 ? BLOCK_BYTES : 0);
    return {
      parts: [...dictionary.parts, ...this.#parts(statistics)],
      finish: () => {
        dictionary.finish();
        if (statistics.length > 0) this.#statisticsBytes().set(statistics);
        for (let slot = slotCount; slot < saved.slotBlocks * SLOTS_PER_BLOCK; slot++)
          this.#setPosition(slot, 0);
      },
    };
  }

  #parts(statistics: Uint8Array): readonly Part[] {
    return [
      { name: 'text-statistics', bytes: statistics },
      framesPart('text-entries', [...this.#entries.frames.addresses]),
      blocksPart('text-slots', [...this.#slotBlocks.addresses]),
      framesPart(
        'text-lists',
        this.#chunks.flatMap(({ frames }) => frames),
      ),
    ];
  }

  #restoredChunk({ frames, ...chunk }: SavedTextChunk): TextChunk {
    return { ...chunk, frames: Array.from({ length: frames }, () => this.#memory.frames(1)) };
  }

  get #fieldsJson(): string {
    return JSON.stringify(this.#fields);
  }

  #statisticsBytes(): Uint8Array {
    const address = this.#statistics;
    return this.#memory.bytes(address + BLOCK_BYTES).subarray(address, address + BLOCK_BYTES);
  }

  #statisticsDelta(): TextDelta[] {
    return this.#statistics === 0 ? [] : [{ kind: 'statistics', address: this.#statistics }];
  }

  #deltasFrom(from: {
    readonly entries: number;
    readonly slots: number;
    readonly large: number;
    readonly chunks: number;
  }): TextDelta[] {
    return [
      ...listDelta('entries', this.#entries.frames.addresses, from.entries),
      ...listDelta('slots', this.#slotBlocks.addresses, from.slots),
      ...listDelta('large', this.#large, from.large),
      ...this.#chunks
        .slice(from.chunks)
        .map((chunk, i): TextDelta => ({ kind: 'chunk', number: from.chunks + i, chunk })),
    ];
  }

  #textsOf(metadata: Metadata): RecordTexts {
    return this.#fields.flatMap(([name, field]) => {
      const text = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
      return typeof text === 'string' ? [[field, text] as const] : [];
    });
  }

  #isFull(slot: number, terms: number): boolean {
    const { firstSlot, terms: termsSoFar } = this.#unindexed;
    if (slot - firstSlot >= this.#chunkSlots) return true;
    return termsSoFar > 0 && terms <= LISTED_TERMS_MAX && termsSoFar + terms > CHUNK_TERMS_MAX;
  }

  /** Indexes the slots since the last chunk in posting lists. */
  #close(): void {
    const { firstSlot } = this.#unindexed;
    const endSlot = this.#lastSlot + 1;
    if (endSlot <= firstSlot) return;
    sorter.clear();
    const large = new Set(this.#large);
    for (let slot = firstSlot; slot < endSlot; slot++)
      if (this.#positionOf(slot) !== 0 && !large.has(slot)) this.#sortIn(slot, firstSlot);
    const memory = { frame: () => this.#memory.frames(1), words: this.#memory.words };
    const frames = sorter.count === 0 ? [] : writeLists(sorter, endSlot - firstSlot, memory);
    this.#chunks.push({ firstSlot, endSlot, frames, averages: this.#averages() });
  }

  #sortIn(slot: number, firstSlot: number): void {
    const { records, tokens } = this.#appended;
    let [length, statistics] = [0, { records, tokens: 0 }];
    this.#visit(slot, {
      field: (field, fieldTokens) => {
        length = fieldTokens;
        statistics = { records, tokens: tokens[field] ?? 0 };
      },
      term: (term, occurrences) =>
        sorter.add(slot - firstSlot, term, Math.fround(saturation(occurrences, length, statistics))),
    });
  }

  #averages(): readonly number[] {
    const { records, tokens } = this.#appended;
    return this.#fields.map((_, field) => (tokens[field] ?? 0) / Math.max(1, records));
  }

  #visit(slot: number, visitors: Parameters<typeof visitEntry>[2]): void {
    const address = addressAt(this.#entries.frames.addresses, this.#positionOf(slot));
    // The views reach to the end of memory; the entry is inside.
    visitEntry(this.#memory.bytes(address + 1), address, visitors);
  }

  #positionOf(slot: number): number {
    const block = this.#slotBlocks.addresses[Math.floor(slot / SLOTS_PER_BLOCK)];
    if (block === undefined) return 0;
    return this.#memory.words(block + BLOCK_BYTES)[block / 4 + (slot % SLOTS_PER_BLOCK)] ?? 0;
  }

  #setPosition(slot: number, position: number): void {
    const number = Math.floor(slot / SLOTS_PER_BLOCK);
    while (this.#slotBlocks.addresses.length <= number) this.#slotBlocks.push(this.#memory.block());
    const block = this.#slotBlocks.addresses[number] ?? 0;
    this.#memory.words(block + BLOCK_BYTES)[block / 4 + (slot % SLOTS_PER_BLOCK)] = position;
  }

  /** The statistics block as f64. */
  #numbers(): Float64Array {
    const { buffer } = this.#memory.words(this.#statistics + BLOCK_BYTES);
    return new Float64Array(buffer, this.#statistics, BLOCK_BYTES / 8);
  }
}
