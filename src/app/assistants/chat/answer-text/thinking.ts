// Takes the parts out of an answer in which a model thinks aloud, however the text is split.
import { CodeFence } from '../citations/code-fence.ts';

/** The tags that models use, as their templates write them. */
const NAMES = ['think', 'thinking', 'reasoning', 'thought'] as const;
const TAG = new RegExp(`<(/?)(?:${NAMES.join('|')})>`, 'i');
const TAG_CHARACTERS_MAX = Math.max(...NAMES.map(({ length }) => length)) + '</>'.length;

export class ThinkingFilter {
  readonly #fence = new CodeFence();
  #held = '';
  #depth = 0;
  /** True until the answer has text: blank lines behind the thoughts are left out, too. */
  #isAtStart = true;
  /** Whether anything was taken out. */
  hasThought = false;

  /** Returns the text that certainly belongs to the answer. Tags in code are text. */
  read(piece: string): string {
    let rest = this.#held + piece;
    this.#held = '';
    let shown = '';
    for (let tag = TAG.exec(rest); tag !== null; tag = TAG.exec(rest)) {
      shown += this.#pass(rest.slice(0, tag.index));
      rest = rest.slice(tag.index + tag[0].length);
      if (this.#depth === 0 && this.#fence.isCode) shown += this.#pass(tag[0]);
      else this.#turn(tag[1] === '/');
    }
    const open = beginningOfTag(rest);
    shown += this.#pass(rest.slice(0, open));
    this.#held = rest.slice(open);
    return shown;
  }

  /** Returns the text that could have become a tag. */
  end(): string {
    const shown = this.#pass(this.#held);
    this.#held = '';
    return shown;
  }

  /** A closing tag without an opening one is left out alone: what stood before it may be gone already. */
  #turn(isEnd: boolean): void {
    this.hasThought = true;
    this.#depth = isEnd ? Math.max(0, this.#depth - 1) : this.#depth + 1;
  }

  #pass(text: string): string {
    if (this.#depth > 0) return '';
    const shown = this.#isAtStart && this.hasThought ? text.trimStart() : text;
    if (shown !== '') {
      this.#isAtStart = false;
      this.#fence.pass(shown);
    }
    return shown;
  }
}

/** Where the text may begin a tag; its length if nowhere. */
function beginningOfTag(text: string): number {
  const at = text.lastIndexOf('<');
  if (at < 0 || text.length - at >= TAG_CHARACTERS_MAX) return text.length;
  const begun = text.slice(at).toLowerCase();
  const isTag = NAMES.some((name) => `<${name}>`.startsWith(begun) || `</${name}>`.startsWith(begun));
  return isTag ? at : text.length;
}
