// A term as the writer of a text index remembers it, with its occurrences in the text that is analyzed.

/** Positions kept from one text to the next at most. */
const POSITIONS_KEPT_MAX = 64;

export class WrittenTerm {
  readonly number: number;
  /** Its positions in the text that was analyzed last, ascending: the first `occurrences` of the list. */
  positions: number[] = [];
  occurrences = 0;
  /** Records with it that are not counted yet. */
  newHolders = 0;
  /** Number of that text. */
  #text = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Notes an occurrence. @returns true for the first one in a text */
  note(text: number, position: number): boolean {
    const isFirst = this.#text !== text;
    if (isFirst) {
      this.#text = text;
      this.occurrences = 0;
      if (this.positions.length > POSITIONS_KEPT_MAX) this.positions = [];
    }
    this.positions[this.occurrences++] = position;
    return isFirst;
  }
}
