// The single writer of a segment's terms: numbers them by arrival, and counts the live records that have each.
import { PieceList } from '../memory/piece-list.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import {
  BLOCK_BYTES,
  FRAME_BYTES,
  KEY_BYTES_MAX,
  TERM_WORDS,
  TERMS_PER_BLOCK,
  TermWord,
  type TextMemory,
} from './layout.ts';
import { blocksPart, framesPart, type Restoring, type SavedDictionary } from './saved-texts.ts';
import { SortedTerms } from './sorted-terms.ts';
import { StreamWriter } from './stream-writer.ts';
import type { TermTable, TextDelta } from './structure.ts';
import {
  type EncodedKey,
  encodeKey,
  findEntry,
  keyAddress,
  type TermList,
  termAddress,
} from './term-table.ts';

/** Hash tables are at most this full. */
const LOAD_MAX = 0.5;
/** A table has this many times as many pieces as the one before; the first has one block, the second one frame. */
const GROWTH = 4;

export class DictionaryWriter {
  readonly #memory: TextMemory;
  readonly #seed: number;
  readonly #keys: StreamWriter;
  readonly #terms = new PieceList();
  readonly #sorted: SortedTerms;
  readonly #tables: TermTable[] = [];
  readonly #list: TermList;
  #tablesAnnounced = 0;
  #announced = { keys: 0, terms: 0 };
  /** Entries of the last table that are used. */
  #used = 0;
  #count = 0;

  constructor(memory: TextMemory, seed: number) {
    this.#memory = memory;
    this.#seed = seed;
    this.#keys = new StreamWriter(memory);
    this.#sorted = new SortedTerms(memory);
    this.#list = { memory, keys: this.#keys.frames.addresses, terms: this.#terms.addresses };
  }

  /** Number of terms, also those that no live record has. */
  get count(): number {
    return this.#count;
  }

  /** The number of a term, which is added when it is new. @throws when memory is full */
  termOf(field: number, term: string): number {
    const key = encodeKey(field, term, this.#seed);
    return this.#find(key) ?? this.#add(key);
  }

  /** Sorts new terms once they are many. Call between records. @throws when memory is full */
  sort(): void {
    this.#sorted.reach(this.#count, (term) => {
      const address = keyAddress(this.#list, term);
      const bytes = this.#memory.bytes(address + 1 + KEY_BYTES_MAX);
      return Buffer.from(bytes.subarray(address + 1, address + 1 + (bytes[address] ?? 0)));
    });
  }

  /** Counts live records that have the term in or out. Call only while readers take no snapshots. */
  countHolders(term: number, change: number): void {
    const at = termAddress(this.#terms.addresses, term) / 4 + TermWord.Holders;
    const words = this.#memory.words((at + 1) * 4);
    words[at] = (words[at] ?? 0) + change;
  }

  /** Sets how many live records have the term. Call only while readers take no snapshots. */
  setHolders(term: number, holders: number): void {
    const at = termAddress(this.#terms.addresses, term) / 4 + TermWord.Holders;
    this.#memory.words((at + 1) * 4)[at] = holders;
  }

  takeDeltas(): TextDelta[] {
    const sorted = this.#sorted.takeChange();
    const deltas = this.#deltasFrom(this.#announced, this.#tablesAnnounced);
    if (sorted !== null) deltas.push({ kind: 'sorted', terms: sorted });
    this.#announced = { keys: this.#keys.frames.addresses.length, terms: this.#terms.addresses.length };
    this.#tablesAnnounced = this.#tables.length;
    return deltas;
  }

  snapshot(): TextDelta[] {
    const all = this.#deltasFrom({ keys: 0, terms: 0 }, 0);
    return [...all, { kind: 'sorted', terms: this.#sorted.structure }];
  }

  /** The terms as they are now; what is added while the parts are read does no harm. */
  save(): { readonly saved: SavedDictionary; readonly parts: readonly Part[] } {
    const sorted = this.#sorted.save();
    const saved = {
      terms: this.#count,
      sorted: sorted.saved,
      keys: this.#keys.save(),
      tables: this.#tables.map(({ addresses }) => addresses.length),
      used: this.#used,
    };
    // Counts change in place.
    const terms = new Uint8Array(this.#count * TERM_WORDS * 4);
    this.#eachTermBlock(terms, (block, bytes) => bytes.set(this.#blockBytes(block, bytes.length)));
    return { saved, parts: [...this.#parts(terms), ...sorted.parts] };
  }

  /** Allocates saved terms in this empty dictionary. @throws when memory is full */
  restore({ terms: count, sorted, keys, tables, used }: SavedDictionary): Restoring {
    const runs = this.#sorted.restore(sorted);
    this.#keys.restore(keys);
    while (this.#terms.addresses.length * TERMS_PER_BLOCK < count) this.#terms.push(this.#memory.block());
    for (const number of tables.keys())
      this.#tables.push(number === 0 ? this.#blockTable() : this.#frameTable(number - 1));
    this.#count = count;
    this.#used = used;
    const terms = new Uint8Array(count * TERM_WORDS * 4);
    return {
      parts: [...this.#parts(terms), ...runs.parts],
      finish: () => {
        this.#eachTermBlock(terms, (block, bytes) => this.#blockBytes(block, bytes.length).set(bytes));
        for (const table of this.#tables) this.#forgetLater(table);
        runs.finish();
      },
    };
  }

  #parts(terms: Uint8Array): readonly Part[] {
    const [first, ...others] = this.#tables;
    return [
      { name: 'text-terms', bytes: terms, isPacked: true },
      framesPart('text-keys', [...this.#keys.frames.addresses]),
      blocksPart('text-first-table', first?.addresses ?? []),
      framesPart(
        'text-tables',
        others.flatMap(({ addresses }) => addresses),
      ),
    ];
  }

  #eachTermBlock(terms: Uint8Array, visitor: (block: number, bytes: Uint8Array) => void): void {
    for (const [number, block] of this.#terms.addresses.entries())
      visitor(block, terms.subarray(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES));
  }

  #blockBytes(block: number, length: number): Uint8Array {
    return this.#memory.bytes(block + BLOCK_BYTES).subarray(block, block + length);
  }

  /** Empties entries of terms that were added after the dictionary was saved: no probe for an earlier one passes them. */
  #forgetLater({ addresses, entriesEach }: TermTable): void {
    for (const address of addresses) {
      const words = this.#memory.words(address + entriesEach * 4);
      for (let at = address / 4; at < address / 4 + entriesEach; at++)
        if ((words[at] ?? 0) > this.#count) words[at] = 0;
    }
  }

  #deltasFrom(
    { keys, terms }: { readonly keys: number; readonly terms: number },
    table: number,
  ): TextDelta[] {
    return [
      ...listDelta('keys', this.#keys.frames.addresses, keys),
      ...listDelta('terms', this.#terms.addresses, terms),
      ...this.#tables
        .slice(table)
        .map((each, i): TextDelta => ({ kind: 'table', number: table + i, table: each })),
    ];
  }

  #find(key: EncodedKey): number | null {
    for (let i = this.#tables.length - 1; i >= 0; i--) {
      const table = this.#tables[i];
      const found = table === undefined ? null : findEntry(table, key, this.#list).term;
      if (found !== null) return found;
    }
    return null;
  }

  #add(key: EncodedKey): number {
    const table = this.#tableWithSpace();
    const number = this.#count;
    const record = Buffer.allocUnsafe(1 + key.length);
    record[0] = key.length;
    record.set(key.bytes.subarray(0, key.length), 1);
    if (number % TERMS_PER_BLOCK === 0 && this.#terms.addresses.length * TERMS_PER_BLOCK <= number)
      this.#terms.push(this.#memory.block());
    const position = this.#keys.append(record, record.length);
    const at = termAddress(this.#terms.addresses, number) / 4;
    const words = this.#memory.words((at + TERM_WORDS) * 4);
    words[at + TermWord.Holders] = 0;
    words[at + TermWord.Key] = position;
    const { address } = findEntry(table, key, this.#list);
    Atomics.store(this.#memory.words(address + 4), address / 4, number + 1);
    this.#used++;
    this.#count++;
    return number;
  }

  #tableWithSpace(): TermTable {
    const last = this.#tables.at(-1);
    if (last !== undefined && this.#used < last.addresses.length * last.entriesEach * LOAD_MAX) return last;
    const added = last === undefined ? this.#blockTable() : this.#frameTable(this.#tables.length - 1);
    this.#tables.push(added);
    this.#used = 0;
    return added;
  }

  #blockTable(): TermTable {
    return { addresses: [this.#memory.block()], entriesEach: BLOCK_BYTES / 4 };
  }

  #frameTable(number: number): TermTable {
    const addresses: number[] = [];
    while (addresses.length < GROWTH ** number) {
      const address = this.#memory.frames(1);
      this.#memory.words(address + FRAME_BYTES).fill(0, address / 4, (address + FRAME_BYTES) / 4);
      addresses.push(address);
    }
    return { addresses, entriesEach: FRAME_BYTES / 4 };
  }
}

/** The step that adds the addresses from `first` on; none without any. */
export function listDelta(
  list: Extract<TextDelta, { readonly kind: 'list' }>['list'],
  addresses: readonly number[],
  first: number,
): TextDelta[] {
  if (addresses.length <= first) return [];
  return [{ kind: 'list', list, first, addresses: addresses.slice(first) }];
}
