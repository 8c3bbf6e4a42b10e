// Which keys of a run contain a text: found by their bytes (Knuth, Morris and Pratt 1977), from where a key differs from the
// one before.
import { KEY_BYTES_MAX } from './layout.ts';
import type { RunCursor } from './term-run.ts';

export class TextFilter {
  readonly #text: Uint8Array;
  /** By bytes that were found: how many of them are found still when the next one is another. */
  readonly #shorter: Uint8Array;
  /** By length of a prefix of the key last read: bytes of the text that it ends with; all, once it contains the text. */
  readonly #found = new Uint8Array(KEY_BYTES_MAX + 1);

  /** @param text of 1 to KEY_BYTES_MAX bytes in UTF-8 */
  constructor(text: Uint8Array) {
    this.#text = text;
    this.#shorter = new Uint8Array(text.length);
    for (let at = 1, length = 0; at < text.length; at++) {
      this.#shorter[at] = length;
      while (length > 0 && text[at] !== text[length]) length = this.#shorter[length] ?? 0;
      if (text[at] === text[length]) length++;
    }
  }

  /** Whether a key contains the text after its first `from` bytes. All keys in a row must be asked for. */
  isIn({ key, length, shared }: Pick<RunCursor, 'key' | 'length' | 'shared'>, from: number): boolean {
    const text = this.#text;
    const found = this.#found;
    let at = Math.max(from, shared);
    let count = at === from ? 0 : (found[at] ?? 0);
    while (at < length) {
      if (count < text.length) {
        const byte = key[at];
        while (count > 0 && text[count] !== byte) count = this.#shorter[count] ?? 0;
        if (text[count] === byte) count++;
      }
      found[++at] = count;
    }
    return count === text.length;
  }
}
