// The single writer of a segment's text index: puts the terms of records in posting lists, and counts them.
import { type Analyzer, analyzerOf, DROPPED } from '../../../domain/full-text/analysis/analyzer.ts';
import { scanWords } from '../../../domain/full-text/analysis/words.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { Metadata } from '../../port/reader-and-writer.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { DictionaryWriter } from './dictionary-writer.ts';
import { FieldLengths } from './field-lengths.ts';
import { type FoundWord, KnownWords, NO_TERM, UNKNOWN_WORD } from './known-words.ts';
import { BLOCK_BYTES, TERM_COUNT_AT, type TextMemory } from './layout.ts';
import { ListCounter } from './list-counter.ts';
import { ListWriter } from './list-writer.ts';
import { blocksPart, type Restoring, type SavedTexts, TEXTS_VERSION } from './saved-texts.ts';
import type { TextDelta, TextStructure } from './structure.ts';
import { TermsOfText } from './terms-of-text.ts';

export interface TextWriterOptions {
  /** The text fields and their analysis. */
  readonly fields: ReadonlyMap<string, TextAnalysis>;
  /** A secret of the index, the same for readers. */
  readonly seed: number;
}

/** How much of what grows readers know. */
interface Announced {
  readonly statistics: boolean;
  /** Blocks of lengths, by number of the field. */
  readonly lengths: readonly number[];
}

interface TextField {
  readonly name: string;
  readonly number: number;
  readonly analysis: TextAnalysis;
  /** Null until a text is analyzed: it may load a stemmer. */
  analyzer: Analyzer | null;
}

/** What a record adds to the statistics. */
interface Counts {
  /** Numbers. */
  readonly terms: number[];
  readonly tokens: (readonly [field: number, tokens: number])[];
}

export class TextWriter {
  readonly #memory: TextMemory;
  readonly #fields: readonly TextField[];
  readonly #fieldsJson: string;
  readonly #seed: number;
  readonly #dictionary: DictionaryWriter;
  readonly #postings: ListWriter;
  /** By number of the field. */
  readonly #lengths: readonly FieldLengths[];
  #statistics = 0;
  #announced: Announced = { statistics: false, lengths: [] };
  /** Of the slot appended last, which is spent if something else of its record found no memory. */
  #last: { readonly slot: number; readonly counts: Counts } | null = null;
  /** Of the slots before it, not counted yet: terms with new records, and tokens by field. */
  readonly #newTerms: number[] = [];
  readonly #newTokens: number[] = [];
  /** New records that are not counted yet, by number of the term. */
  #newHolders = new Uint32Array(0);
  /** Of deleted records that are not counted out yet: a term for each of their texts that has it, and tokens by field. */
  readonly #goneTerms: number[] = [];
  readonly #goneTokens: number[] = [];
  readonly #terms = new TermsOfText();
  readonly #words = new KnownWords();

  constructor(memory: TextMemory, { fields, seed }: TextWriterOptions) {
    this.#memory = memory;
    this.#fields = Array.from(fields, ([name, analysis], number) => ({
      ...{ name, number, analysis },
      analyzer: null,
    }));
    this.#seed = seed;
    this.#fieldsJson = JSON.stringify([...fields]);
    this.#dictionary = new DictionaryWriter(memory, seed);
    this.#postings = new ListWriter(memory);
    this.#lengths = this.#fields.map(() => new FieldLengths(memory));
  }

  /**
   * Appends the texts among the stored fields of the record in `slot`. They count once `countAppended` was called. Slots must
   * ascend. When this throws because memory is full, the slot is spent and must never count as live.
   */
  append(slot: number, metadata: Metadata): void {
    this.#settle(slot);
    const counts: Counts = { terms: [], tokens: [] };
    for (const { field, text } of this.#textsOf(metadata)) {
      if (this.#statistics === 0) this.#statistics = this.#memory.block();
      const lengths = this.#lengths[field.number];
      const found = this.#analyze(field, text);
      if (lengths === undefined) throw new RangeError(`no text field ${field.number}`);
      lengths.set(slot, found.tokens);
      counts.tokens.push([field.number, found.tokens]);
      for (let place = 0; place < found.count; place++) {
        const posting = found.at(place);
        this.#postings.add(posting.term, slot, { posting, lengths });
        counts.terms.push(posting.term);
      }
    }
    if (counts.tokens.length === 0) return;
    this.#dictionary.sort();
    this.#last = { slot, counts };
  }

  /** Counts what was appended to the slots below `slotCount` in. Call only while readers take no snapshots. */
  countAppended(slotCount: number): void {
    this.#settle(slotCount);
    for (const term of this.#newTerms) {
      this.#dictionary.countHolders(term, this.#newHolders[term] ?? 0);
      this.#newHolders[term] = 0;
    }
    for (const [field, tokens] of this.#newTokens.entries()) this.#addTokens(field, tokens);
    if (this.#statistics !== 0) this.#numbers()[TERM_COUNT_AT] = this.#dictionary.count;
    this.#newTerms.length = 0;
    this.#newTokens.length = 0;
  }

  /** Analyzes the texts among the stored fields of a deleted record, while readers may still take snapshots. */
  noteDeleted(metadata: Metadata): void {
    for (const { field, text } of this.#textsOf(metadata)) {
      const found = this.#analyze(field, text);
      this.#goneTokens[field.number] = (this.#goneTokens[field.number] ?? 0) + found.tokens;
      for (let place = 0; place < found.count; place++) this.#goneTerms.push(found.at(place).term);
    }
  }

  /** Counts the records out that were noted. Call only while readers take no snapshots. */
  countDeleted(): void {
    for (const term of this.#goneTerms) this.#dictionary.countHolders(term, -1);
    for (const [field, tokens] of this.#goneTokens.entries()) if (tokens > 0) this.#addTokens(field, -tokens);
    this.#goneTerms.length = 0;
    this.#goneTokens.length = 0;
  }

  /**
   * Counts the records of a bitmap anew, by their posting lists: all that were appended must have been counted before. Yields
   * between terms; until it has ended, nothing may be appended or counted, and readers take no snapshots.
   */
  *recount(live: Uint32Array): Generator<void> {
    if (this.#statistics === 0) return;
    const counter = new ListCounter(this.#memory, this.#postings.frames, live);
    for (let term = 0; term < this.#dictionary.count; term++) {
      this.#dictionary.setHolders(term, counter.count(this.#postings.headAddress(term)));
      yield;
    }
    for (const [field, lengths] of this.#lengths.entries()) {
      const tokens = yield* lengths.tokensIn(live);
      this.#numbers()[field] = tokens;
    }
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
      ...this.#deltasFrom({ statistics: false, lengths: [] }),
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
      hasTexts: this.#statistics !== 0,
      lists: lists.saved,
      lengths: this.#lengths.map((lengths) => lengths.save()),
    };
    // Counts change in place.
    const statistics = new Uint8Array(this.#statistics === 0 ? [] : this.#statisticsBytes());
    return { saved, parts: [...dictionary.parts, ...lists.parts, ...this.#parts(statistics)] };
  }

  /** Allocates a saved index of so many slots in this empty one. @throws when memory is full */
  restore(saved: SavedTexts, slotCount: number): Restoring {
    const dictionary = this.#dictionary.restore(saved.dictionary);
    const lists = this.#postings.restore(saved.lists);
    for (const [field, lengths] of saved.lengths.entries()) this.#lengths[field]?.restore(lengths);
    if (saved.hasTexts) this.#statistics = this.#memory.block();
    const statistics = new Uint8Array(saved.hasTexts ? BLOCK_BYTES : 0);
    return {
      parts: [...dictionary.parts, ...lists.parts, ...this.#parts(statistics)],
      finish: () => {
        dictionary.finish();
        lists.finish();
        for (const lengths of this.#lengths) lengths.clearFrom(slotCount);
        if (statistics.length > 0) this.#statisticsBytes().set(statistics);
      },
    };
  }

  #parts(statistics: Uint8Array): readonly Part[] {
    return [
      { name: 'text-statistics', bytes: statistics },
      blocksPart(
        'text-lengths',
        this.#lengths.flatMap(({ blocks }) => blocks.filter((address) => address !== 0)),
      ),
    ];
  }

  #statisticsBytes(): Uint8Array {
    const address = this.#statistics;
    return this.#memory.bytes(address + BLOCK_BYTES).subarray(address, address + BLOCK_BYTES);
  }

  #statisticsDelta(): TextDelta[] {
    return this.#statistics === 0 ? [] : [{ kind: 'statistics', address: this.#statistics }];
  }

  #deltasFrom(from: Announced): TextDelta[] {
    return this.#lengths.flatMap(({ blocks }, field): TextDelta[] => {
      const first = from.lengths[field] ?? 0;
      return blocks.length === first
        ? []
        : [{ kind: 'lengths', field, first, addresses: blocks.slice(first) }];
    });
  }

  #textsOf(metadata: Metadata): readonly { readonly field: TextField; readonly text: string }[] {
    const texts: { readonly field: TextField; readonly text: string }[] = [];
    for (const field of this.#fields) {
      const text = Object.hasOwn(metadata, field.name) ? metadata[field.name] : undefined;
      if (typeof text === 'string') texts.push({ field, text });
    }
    return texts;
  }

  /** The distinct terms of a text, valid until the next call. @throws when memory is full */
  #analyze(field: TextField, text: string): TermsOfText {
    const found = this.#terms;
    found.begin();
    field.analyzer ??= analyzerOf(field.analysis);
    const { termOf, visit } = field.analyzer;
    if (termOf === null) {
      visit(text, (term, position) => found.note(this.#dictionary.termOf(field.number, term), position));
      return found;
    }
    let position = 0;
    scanWords(text, this.#seed, (start, end, hash) => {
      const known = this.#words.find({ field: field.number, text, start, end, hash });
      // Objects of their own, so that the one that is only looked up is never made.
      const term =
        known === UNKNOWN_WORD ? this.#learn(field, { field: field.number, text, start, end, hash }) : known;
      if (term !== NO_TERM) found.note(term, position);
      position++;
    });
    return found;
  }

  /** The number of the term of a word that is not known. @throws when memory is full */
  #learn(field: TextField, word: FoundWord): number {
    const text = field.analyzer?.termOf?.(word.text.slice(word.start, word.end)) ?? DROPPED;
    const term = text === DROPPED ? NO_TERM : this.#dictionary.termOf(field.number, text);
    this.#words.add(word, term);
    return term;
  }

  /** Takes what was appended last for good if it is below a slot, and drops it otherwise. */
  #settle(slot: number): void {
    const last = this.#last;
    this.#last = null;
    if (last === null || last.slot >= slot) return;
    if (this.#newHolders.length < this.#dictionary.count) this.#growHolders();
    for (const term of last.counts.terms) {
      const before = this.#newHolders[term] ?? 0;
      if (before === 0) this.#newTerms.push(term);
      this.#newHolders[term] = before + 1;
    }
    for (const [field, tokens] of last.counts.tokens)
      this.#newTokens[field] = (this.#newTokens[field] ?? 0) + tokens;
  }

  #growHolders(): void {
    const grown = new Uint32Array(2 * this.#dictionary.count);
    grown.set(this.#newHolders);
    this.#newHolders = grown;
  }

  #addTokens(field: number, tokens = 0): void {
    const numbers = this.#numbers();
    numbers[field] = (numbers[field] ?? 0) + tokens;
  }

  /** The statistics block as f64. */
  #numbers(): Float64Array {
    const { buffer } = this.#memory.words(this.#statistics + BLOCK_BYTES);
    return new Float64Array(buffer, this.#statistics, BLOCK_BYTES / 8);
  }
}
