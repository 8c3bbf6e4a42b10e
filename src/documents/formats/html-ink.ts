// Tells how the text of a line of HTML is marked: as a title, or as links within the page.
import type { Attributes } from './html-elements.ts';

/** `title`: all bold. `contents`: all links to places of the same page, as tables of contents have. */
export type LineLook = 'title' | 'contents' | 'plain';

const BOLD = new Set(['b', 'strong']);

/** Counts the characters of a line, white space left out, by their marks. */
export class InkCounter {
  #bold = 0;
  #isInPage = false;
  #all = 0;
  #boldInk = 0;
  #inPageInk = 0;

  open(name: string, { href = '' }: Attributes): void {
    if (BOLD.has(name)) this.#bold++;
    if (name === 'a') this.#isInPage = href.startsWith('#');
  }

  close(name: string): void {
    if (BOLD.has(name)) this.#bold = Math.max(0, this.#bold - 1);
    if (name === 'a') this.#isInPage = false;
  }

  text(text: string): void {
    const ink = text.replace(/\s+/g, '').length;
    this.#all += ink;
    if (this.#bold > 0) this.#boldInk += ink;
    if (this.#isInPage) this.#inPageInk += ink;
  }

  /** The look of the line that ends here. */
  endLine(): LineLook {
    const [all, bold, inPage] = [this.#all, this.#boldInk, this.#inPageInk];
    this.#all = 0;
    this.#boldInk = 0;
    this.#inPageInk = 0;
    if (all > 0 && inPage === all) return 'contents';
    return all > 0 && bold === all ? 'title' : 'plain';
  }
}
