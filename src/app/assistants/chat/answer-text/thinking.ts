// Takes the parts out of an answer in which a model thinks aloud, however the text is split.
import { CodeFence } from '../citations/code-fence.ts';
import type { ThinksFirst } from './thinking-habits.ts';

/**
 * How far the beginning of an answer is held back while a closing tag may show that it is a thought. The answer of a
 * model that is known to think first is bounded as a whole; of one that may, most thoughts on passages are shorter than
 * this. All others stream at once.
 */
const HELD_OF_THINKERS_MAX = Number.POSITIVE_INFINITY;
const HELD_OF_UNKNOWN_MAX = 8_000;

/** The tags that models use, as their templates write them. */
const NAMES = ['think', 'thinking', 'reasoning', 'thought'] as const;
const TAG = new RegExp(`<(/?)(?:${NAMES.join('|')})>`, 'i');
const TAG_CHARACTERS_MAX = Math.max(...NAMES.map(({ length }) => length)) + '</>'.length;

export class ThinkingFilter {
  readonly #thinksFirst: ThinksFirst;
  #fence = new CodeFence();
  #held = '';
  #depth = 0;
  /** What the present thought has said since its last tag that closed one inside it. */
  #hidden = '';
  /** Opening tags in the text of the answer, whose closing ones are text, too. */
  #named = 0;
  /** The text from the beginning on, while a closing tag may show that it is a thought. */
  #beginning = '';
  #beginningMax: number;
  /** True until the answer has text: blank lines behind the thoughts are left out, too. */
  #isAtStart = true;
  /** Whether anything is taken out for good. */
  hasThought = false;
  /** Whether a thought ended that never began. */
  hasBegunInThought = false;

  /** @param thinksFirst whether the model is known to begin its answers inside a thought */
  constructor(thinksFirst: ThinksFirst) {
    this.#thinksFirst = thinksFirst;
    this.#beginningMax = heldMax(thinksFirst);
  }

  /**
   * Returns the text that certainly belongs to the answer. Tags in code are text, and so are opening ones behind text of
   * an answer without a thought: it tells of them.
   */
  read(piece: string): string {
    let rest = this.#held + piece;
    this.#held = '';
    let shown = '';
    for (let tag = TAG.exec(rest); tag !== null; tag = TAG.exec(rest)) {
      shown += this.#pass(rest.slice(0, tag.index));
      rest = rest.slice(tag.index + tag[0].length);
      const isEnd = tag[1] === '/';
      if (this.#takesAsText(isEnd)) shown += this.#pass(tag[0]);
      else if (isEnd && this.#depth === 0) shown = this.#endUnbegun(shown);
      else this.#turn(isEnd, tag[0]);
    }
    const open = beginningOfTag(rest);
    shown += this.#pass(rest.slice(0, open));
    this.#held = rest.slice(open);
    return this.#passBeginning(shown);
  }

  /**
   * Returns the text that could have become a tag or a thought.
   * @param isCutOff the answer ended for its length: a thought without end is one. Else it is none, but what a model
   *   that does not close its tags has answered
   */
  end(isCutOff = false): string {
    const text = this.#beginning + this.#pass(this.#held);
    const isOpen = this.#depth > 0;
    const isBeginning = this.#thinksFirst === true && this.#beginningMax > 0;
    if (isCutOff && (isOpen || isBeginning)) {
      this.hasThought = true;
      return isOpen ? text : '';
    }
    this.#depth = 0;
    return text + this.#pass(this.#hidden);
  }

  #takesAsText(isEnd: boolean): boolean {
    if (this.#depth > 0) return false;
    // A thought that the model began with. It may leave code open.
    if (this.#thinksFirst === true && this.#beginningMax > 0) return !isEnd && !this.#isAtStart;
    if (this.#fence.isCode) return true;
    const isText = isEnd ? this.#named > 0 : !this.#isAtStart && !this.hasThought;
    if (isText) this.#named += isEnd ? -1 : 1;
    return isText;
  }

  #turn(isEnd: boolean, tag: string): void {
    if (isEnd) {
      this.hasThought = true;
      this.#depth--;
      this.#hidden = '';
      return;
    }
    this.#depth++;
    this.#hidden += tag;
    // A model that opens its thoughts itself does not begin inside one.
    this.#beginningMax = 0;
  }

  /** Drops what stood before a closing tag without an opening one, as far as it is not gone already. */
  #endUnbegun(shown: string): string {
    this.hasThought = true;
    this.hasBegunInThought = true;
    if (this.#beginningMax === 0) return shown;
    this.#beginning = '';
    this.#beginningMax = 0;
    this.#fence = new CodeFence();
    this.#isAtStart = true;
    return '';
  }

  #passBeginning(shown: string): string {
    const text = this.#beginning + shown;
    this.#beginning = '';
    if (text.length > this.#beginningMax) this.#beginningMax = 0;
    if (this.#beginningMax === 0) return text;
    this.#beginning = text;
    return '';
  }

  #pass(text: string): string {
    if (this.#depth > 0) {
      this.#hidden += text;
      return '';
    }
    const shown = this.#isAtStart && this.hasThought ? text.trimStart() : text;
    if (/\S/.test(shown)) this.#isAtStart = false;
    this.#fence.pass(shown);
    return shown;
  }
}

function heldMax(thinksFirst: ThinksFirst): number {
  if (thinksFirst === undefined) return HELD_OF_UNKNOWN_MAX;
  return thinksFirst ? HELD_OF_THINKERS_MAX : 0;
}

/** Where the text may begin a tag; its length if nowhere. */
function beginningOfTag(text: string): number {
  const at = text.lastIndexOf('<');
  if (at < 0 || text.length - at >= TAG_CHARACTERS_MAX) return text.length;
  const begun = text.slice(at).toLowerCase();
  const isTag = NAMES.some((name) => `<${name}>`.startsWith(begun) || `</${name}>`.startsWith(begun));
  return isTag ? at : text.length;
}
