// The single writer of a segment's text index: appends the texts of records to the forward index and to posting lists.
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import { PieceList } from '../memory/piece-list.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { DictionaryWriter, listDelta } from './dictionary-writer.ts';
import { visitEntry } from './entry-decoder.ts';
import { type EntrySink, encodeEntry, type RecordTexts, type TextField } from './entry-encoder.ts';
import { FieldLengths } from './field-lengths.ts';
import { addressAt, BLOCK_BYTES, SLOTS_PER_BLOCK, TERM_COUNT_AT, type TextMemory } from './layout.ts';
import { ListWriter } from './list-writer.ts';
import { blocksPart, framesPart, type Restoring, type SavedTexts, TEXTS_VERSION } from './saved-texts.ts';
import { StreamWriter } from './stream-writer.ts';
import type { TextDelta, TextStructure } from './structure.ts';

export interface TextWriterOptions {
  /** The text fields and their analysis. */
  readonly fields: ReadonlyMap<string, TextAnalysis>;
  /** A secret of the index, the same for readers. */
  readonly seed: number;
}

/** How much of what grows readers know. */
interface Announced {
  readonly statistics: boolean;
  readonly entries: number;
  readonly slots: number;
  /** Blocks of lengths, by number of the field. */
  readonly lengths: readonly number[];
}

export class TextWriter {
  readonly #memory: TextMemory;
  readonly #fields: readonly (readonly [name: string, field: TextField])[];
  readonly #dictionary: DictionaryWriter;
  readonly #entries: StreamWriter;
  readonly #slotBlocks = new PieceList();
  readonly #postings: ListWriter;
  /** By number of the field. */
  readonly #lengths: readonly FieldLengths[];
  #lastSlot = -1;
  #statistics = 0;
  #announced: Announced = { statistics: false, entries: 0, slots: 0, lengths: [] };

  constructor(memory: TextMemory, { fields, seed }: TextWriterOptions) {
    this.#memory = memory;
    this.#fields = Array.from(fields, ([name, analysis], number) => [name, { number, analysis }] as const);
    this.#dictionary = new DictionaryWriter(memory, seed);
    this.#entries = new StreamWriter(memory);
    this.#postings = new ListWriter(memory);
    this.#lengths = this.#fields.map(() => new FieldLengths(memory));
  }

  /**
   * Appends the texts among the stored fields of the record in `slot`. They count once `count` was called. Slots must
   * ascend. When this throws because memory is full, the slot is spent and must never count as live.
   */
  append(slot: number, metadata: Metadata): void {
    const texts = this.#textsOf(metadata);
    if (texts.length === 0) return;
    if (this.#statistics === 0) this.#statistics = this.#memory.block();
    const { bytes, length } = encodeEntry(texts, this.#dictionary, this.#listing(slot));
    this.#setPosition(slot, this.#entries.append(bytes, length));
    this.#dictionary.sort();
    this.#numbers()[TERM_COUNT_AT] = this.#dictionary.count;
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

  /** Lets readers find all that was appended. Call while they take no snapshots, after they were told of the deltas. */
  publish(): void {
    this.#postings.publish();
  }

  /** The steps since the last call, to be posted to every reader. */
  takeDeltas(): TextStructure {
    const deltas = [
      ...(this.#announced.statistics ? [] : this.#statisticsDelta()),
      ...this.#dictionary.takeDeltas(),
      ...this.#postings.takeDeltas(),
      ...this.#deltasFrom(this.#announced),
    ];
    this.#announced = {
      statistics: this.#statistics !== 0,
      entries: this.#entries.frames.addresses.length,
      slots: this.#slotBlocks.addresses.length,
      lengths: this.#lengths.map(({ blocks }) => blocks.length),
    };
    return deltas;
  }

  /** The whole structure, for a reader that joins late; it may overlap with deltas not taken yet. */
  snapshot(): TextStructure {
    return [
      ...this.#statisticsDelta(),
      ...this.#dictionary.snapshot(),
      ...this.#postings.snapshot(),
      ...this.#deltasFrom({ statistics: false, entries: 0, slots: 0, lengths: [] }),
    ];
  }

  /** True when a saved index is of these fields, and of this version. */
  isRestorable({ version, fields }: SavedTexts): boolean {
    return version === TEXTS_VERSION && fields === this.#fieldsJson;
  }

  /** The index as published; appends may go on while the parts are read. */
  save(): { readonly saved: SavedTexts; readonly parts: readonly Part[] } {
    const dictionary = this.#dictionary.save();
    const lists = this.#postings.save();
    const saved: SavedTexts = {
      version: TEXTS_VERSION,
      fields: this.#fieldsJson,
      dictionary: dictionary.saved,
      entries: this.#entries.save(),
      slotBlocks: this.#slotBlocks.addresses.length,
      lastSlot: this.#lastSlot,
      lists: lists.saved,
      lengths: this.#lengths.map((lengths) => lengths.save()),
    };
    // Counts change in place.
    const statistics = new Uint8Array(this.#statistics === 0 ? [] : this.#statisticsBytes());
    return { saved, parts: [...dictionary.parts, ...lists.parts, ...this.#parts(statistics)] };
  }

  /** Allocates a saved index in this empty one. @throws when memory is full */
  restore(saved: SavedTexts, slotCount: number): Restoring {
    const dictionary = this.#dictionary.restore(saved.dictionary);
    const lists = this.#postings.restore(saved.lists);
    this.#entries.restore(saved.entries);
    while (this.#slotBlocks.addresses.length < saved.slotBlocks) this.#slotBlocks.push(this.#memory.block());
    for (const [field, lengths] of saved.lengths.entries()) this.#lengths[field]?.restore(lengths);
    this.#lastSlot = saved.lastSlot;
    if (saved.slotBlocks > 0) this.#statistics = this.#memory.block();
    const statistics = new Uint8Array(saved.slotBlocks > 0 ? BLOCK_BYTES : 0);
    return {
      parts: [...dictionary.parts, ...lists.parts, ...this.#parts(statistics)],
      finish: () => {
        dictionary.finish();
        lists.finish();
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
      blocksPart(
        'text-lengths',
        this.#lengths.flatMap(({ blocks }) => blocks.filter((address) => address !== 0)),
      ),
    ];
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

  #deltasFrom(from: Announced): TextDelta[] {
    return [
      ...listDelta('entries', this.#entries.frames.addresses, from.entries),
      ...listDelta('slots', this.#slotBlocks.addresses, from.slots),
      ...this.#lengths.flatMap(({ blocks }, field): TextDelta[] => {
        const first = from.lengths[field] ?? 0;
        return blocks.length === first
          ? []
          : [{ kind: 'lengths', field, first, addresses: blocks.slice(first) }];
      }),
    ];
  }

  #textsOf(metadata: Metadata): RecordTexts {
    return this.#fields.flatMap(([name, field]) => {
      const text = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
      return typeof text === 'string' ? [[field, text] as const] : [];
    });
  }

  /** Puts the fields and terms of a slot in the lengths and the posting lists. */
  #listing(slot: number): EntrySink {
    return {
      field: (field, tokens) => this.#lengths[field]?.set(slot, tokens),
      term: (field, term, positions) => {
        const lengths = this.#lengths[field];
        if (lengths !== undefined) this.#postings.add(term, { slot, positions }, lengths);
      },
    };
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
