// The terms of words that the writer of a text index met, so that these are not cut out of texts, analyzed and looked up again.

/** The number of a word that has no term. */
export const NO_TERM = -1;
/** What `find` returns of a word that is not known. */
export const UNKNOWN_WORD = -2;

/** Longer words, in UTF-16 code units, are not remembered. */
const WORD_UNITS_MAX = 64;
const SLOTS_MIN = 1_024;
const SLOTS_MAX = 2 ** 18;
/** Average length of words for which there is space, in UTF-16 code units. */
const UNITS_A_WORD = 8;
/** Slots to look at for a word, so that no words of the same hash make this slow. */
const PROBES_MAX = 64;
/** Slots are at most this full. */
const LOAD_MAX = 0.5;

/** Words of a slot: 1 + where the word starts among the units, 0 in a free one; its form; its hash; its term. */
const SlotWord = { Start: 0, Form: 1, Hash: 2, Term: 3 } as const;
const SLOT_WORDS = 4;
/** A form: the number of the field, and the length of the word below that. */
const FORM_LENGTH_BITS = 8;

/** A word of a text in a field. */
export interface FoundWord {
  readonly field: number;
  readonly text: string;
  /** Where it starts and ends, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly hash: number;
}

export class KnownWords {
  /** Slots, a power of two of them, with linear probing. */
  #slots = new Int32Array(0);
  #mask = -1;
  #units = new Uint16Array(0);
  #unitsUsed = 0;
  #used = 0;

  /** The number of the term of a word. */
  find({ field, text, start, end, hash }: FoundWord): number {
    const mask = this.#mask;
    if (mask < 0) return UNKNOWN_WORD;
    const form = formOf(field, end - start);
    const first = slotOf(hash);
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const at = ((first + probe) & mask) * SLOT_WORDS;
      const from = this.#slots[at] ?? 0;
      if (from === 0) return UNKNOWN_WORD;
      if (
        this.#slots[at + SlotWord.Hash] === hash &&
        this.#slots[at + SlotWord.Form] === form &&
        this.#isAt(from - 1, text, { start, end })
      )
        return this.#slots[at + SlotWord.Term] ?? NO_TERM;
    }
    return UNKNOWN_WORD;
  }

  /** Remembers the term of a word that is not known, mostly. Forgets all others where they are many. */
  add({ field, text, start, end, hash }: FoundWord, term: number): void {
    const length = end - start;
    if (length > WORD_UNITS_MAX) return;
    if (this.#used >= LOAD_MAX * (this.#mask + 1) || this.#unitsUsed + length > this.#units.length)
      this.#makeSpace();
    for (let i = 0; i < length; i++) this.#units[this.#unitsUsed + i] = text.charCodeAt(start + i);
    this.#put({ start: this.#unitsUsed, form: formOf(field, length), hash, term });
    this.#unitsUsed += length;
  }

  #put({ start, form, hash, term }: KnownWord): void {
    const first = slotOf(hash);
    let probe = 0;
    while (probe < PROBES_MAX && this.#slots[((first + probe) & this.#mask) * SLOT_WORDS] !== 0) probe++;
    if (probe === PROBES_MAX) return;
    const at = ((first + probe) & this.#mask) * SLOT_WORDS;
    this.#slots[at + SlotWord.Start] = start + 1;
    this.#slots[at + SlotWord.Form] = form;
    this.#slots[at + SlotWord.Hash] = hash;
    this.#slots[at + SlotWord.Term] = term;
    this.#used++;
  }

  #makeSpace(): void {
    const [slots, units] = [this.#slots, this.#units];
    const count = this.#mask + 1;
    const isLargest = count >= SLOTS_MAX;
    const grown = isLargest ? count : Math.max(SLOTS_MIN, 2 * count);
    this.#slots = new Int32Array(grown * SLOT_WORDS);
    this.#mask = grown - 1;
    this.#used = 0;
    this.#units = new Uint16Array(grown * LOAD_MAX * UNITS_A_WORD + WORD_UNITS_MAX);
    if (isLargest) {
      this.#unitsUsed = 0;
      return;
    }
    this.#units.set(units.subarray(0, this.#unitsUsed));
    for (let at = 0; at < slots.length; at += SLOT_WORDS) {
      const [start = 0, form = 0, hash = 0, term = NO_TERM] = slots.subarray(at, at + SLOT_WORDS);
      if (start !== 0) this.#put({ start: start - 1, form, hash, term });
    }
  }

  #isAt(
    from: number,
    text: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): boolean {
    for (let at = start, unit = from; at < end; at++, unit++)
      if (text.charCodeAt(at) !== this.#units[unit]) return false;
    return true;
  }
}

interface KnownWord {
  readonly start: number;
  readonly form: number;
  readonly hash: number;
  readonly term: number;
}

function formOf(field: number, length: number): number {
  return (field << FORM_LENGTH_BITS) | Math.min(length, WORD_UNITS_MAX + 1);
}

/** Hashes of Fowler, Noll and Vo differ most in their high bits. */
function slotOf(hash: number): number {
  return hash ^ (hash >>> 15);
}
