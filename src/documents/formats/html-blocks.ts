// Reads HTML as a stream of tags and writes its headings, paragraphs, lists, tables and code as blocks.
import { Parser } from 'htmlparser2';
import type { BlockKind } from '../document-model.ts';
import { refusal } from '../refusal.ts';
import type { DocumentWriter } from '../text/document-writer.ts';
import {
  type Attributes,
  beginsBlock,
  headingLevel,
  isSilent,
  PAGE_BREAK_CLASS,
  wholeKind,
} from './html-elements.ts';
import { InkCounter } from './html-ink.ts';

export { PAGE_BREAK_CLASS } from './html-elements.ts';

export interface HtmlOptions {
  readonly elementDepthMax: number;
  /** Whether line breaks of class `PAGE_BREAK_CLASS` start a new page. */
  readonly pages?: boolean;
}

const LIST_INDENT = '  ';
/** Deeper lists are indented no further, because a small file could otherwise produce endless indents. */
const LIST_INDENTS_MAX = 8;
const BETWEEN_CELLS = ' | ';
/** A bold paragraph that is no longer is a heading, below all others. */
const TITLE_CHARACTERS_MAX = 120;
const TITLE_LEVEL = 6;
/** Bold sentences are warnings and the like. */
const SENTENCE_END = /[.:;,!]$/;

/** Takes the elements of a document in the names of HTML, in lower case. */
export interface HtmlSink {
  /** @throws DocumentRefusal `too-deep` or `too-large` */
  open(name: string, attributes: Attributes): void;
  text(text: string): void;
  close(name: string): void;
  /** @returns the number of the last page; 1 when pages are not counted */
  finish(): number;
}

/** Writes elements as blocks. A list or table is one block with everything nested in it. */
export function htmlSink(writer: DocumentWriter, options: HtmlOptions): HtmlSink {
  return new HtmlBlocks(writer, options);
}

/**
 * Writes the blocks of an HTML text.
 * @returns the number of the last page; 1 when pages are not counted
 * @throws DocumentRefusal `too-deep` or `too-large`
 */
export function writeHtml(html: string, writer: DocumentWriter, options: HtmlOptions): number {
  const blocks = htmlSink(writer, options);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => blocks.open(name, attributes),
      ontext: (text) => blocks.text(text),
      onclosetag: (name) => blocks.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  return blocks.finish();
}

class HtmlBlocks implements HtmlSink {
  readonly #writer: DocumentWriter;
  readonly #options: HtmlOptions;
  #depth = 0;
  /** The depth of the outermost element that is skipped; 0 outside of one. */
  #skippedFrom = 0;
  /** The outermost list or table, and how many are open. */
  #whole: 'list' | 'table' = 'list';
  #wholes = 0;
  #code = 0;
  #heading: number | undefined;
  #cellsInRow = 0;
  #isMerged = false;
  #pending: string[] = [];
  /** The beginning of the line in `#pending`, and how its text is marked. */
  #lineFrom = 0;
  readonly #ink = new InkCounter();
  #page = 1;
  #firstPage = 1;

  constructor(writer: DocumentWriter, options: HtmlOptions) {
    this.#writer = writer;
    this.#options = options;
  }

  open(name: string, attributes: Attributes): void {
    const { elementDepthMax } = this.#options;
    if (++this.#depth > elementDepthMax) throw refusal('too-deep', { max: elementDepthMax });
    if (this.#skippedFrom > 0) return;
    this.#ink.open(name, attributes);
    if (isSilent(name, attributes)) this.#skippedFrom = this.#depth;
    else if (name === 'br') this.#lineBreak(attributes);
    else if (name === 'td' || name === 'th') this.#cell(attributes);
    else if (beginsBlock(name)) this.#openBlock(name);
  }

  text(text: string): void {
    if (this.#skippedFrom > 0) return;
    this.#ink.text(text);
    this.#pending.push(this.#code > 0 ? text : text.replace(/\s+/g, ' '));
  }

  close(name: string): void {
    const depth = this.#depth--;
    if (this.#skippedFrom === 0 && beginsBlock(name)) this.#closeBlock(name);
    if (this.#skippedFrom === 0 || this.#skippedFrom === depth) this.#ink.close(name);
    if (this.#skippedFrom === depth) this.#skippedFrom = 0;
  }

  finish(): number {
    this.#flush();
    return this.#page;
  }

  #openBlock(name: string): void {
    this.#endLine(name);
    this.#border(name);
    const whole = wholeKind(name);
    if (whole !== undefined && this.#wholes++ === 0) this.#whole = whole;
    if (name === 'pre') this.#code++;
    const indents = Math.max(0, Math.min(this.#wholes - 1, LIST_INDENTS_MAX));
    if (name === 'li') this.#pending.push(`${LIST_INDENT.repeat(indents)}- `);
    this.#heading = headingLevel(name) ?? this.#heading;
  }

  #closeBlock(name: string): void {
    this.#endLine(name);
    if (wholeKind(name) !== undefined && this.#wholes === 1) this.#flush();
    else this.#border(name);
    if (wholeKind(name) !== undefined) this.#wholes--;
    if (name === 'pre') this.#code--;
    if (headingLevel(name) !== undefined) this.#heading = undefined;
  }

  /** Ends the current block. Within a list or table, elements that are blocks elsewhere only begin a line. */
  #border(name: string): void {
    if (this.#wholes === 0) this.#flush();
    else {
      if (name === 'tr') this.#cellsInRow = 0;
      this.#newLine();
    }
    this.#lineFrom = this.#pending.length;
  }

  /** Leaves out tables of contents, which repeat headings, and makes headings of bold paragraphs, also of lists. */
  #endLine(name: string): void {
    const look = this.#ink.endLine();
    const isProse = this.#code === 0 && this.#heading === undefined && name !== 'dt';
    const isTable = this.#cellsInRow > 0 || (this.#wholes > 0 && this.#whole === 'table');
    if (look === 'plain' || !isProse || isTable) return;
    const text = tidyLines(this.#pending.slice(this.#lineFrom).join('')).replace(/^ *- /, '');
    const isTitle = name === 'p' && text.length <= TITLE_CHARACTERS_MAX && !SENTENCE_END.test(text);
    if (look === 'title' && (!isTitle || text.includes('\n'))) return;
    this.#pending.length = this.#lineFrom;
    if (look === 'contents') return;
    this.#flush();
    this.#writer.add({ kind: 'heading', level: TITLE_LEVEL, text, ...this.#pages() });
  }

  #cell({ rowspan = '1' }: Attributes): void {
    this.#isMerged ||= Number(rowspan) !== 1;
    if (this.#wholes > 0 && this.#cellsInRow++ > 0) this.#pending.push(BETWEEN_CELLS);
  }

  #lineBreak(attributes: Attributes): void {
    if (this.#options.pages !== true || attributes.class !== PAGE_BREAK_CLASS) {
      this.#newLine();
      return;
    }
    this.#page++;
    if (this.#pending.every((part) => part.trim() === '')) this.#firstPage = this.#page;
  }

  /** Begins a line, except within a table row, which is always one line. */
  #newLine(): void {
    this.#pending.push(this.#wholes > 0 && this.#whole === 'table' && this.#cellsInRow > 0 ? ' ' : '\n');
  }

  #flush(): void {
    const kind = this.#kind();
    const text = this.#pending.join('');
    this.#pending = [];
    this.#lineFrom = 0;
    this.#cellsInRow = 0;
    const isMerged = this.#isMerged;
    this.#isMerged = false;
    this.#writer.add({
      ...{ ...kind, isMerged },
      text: kind.kind === 'code' ? text : tidyLines(text),
      ...this.#pages(),
    });
    this.#firstPage = this.#page;
  }

  #kind(): { readonly kind: BlockKind; readonly level?: number } {
    if (this.#wholes > 0) return { kind: this.#whole };
    if (this.#code > 0) return { kind: 'code' };
    return this.#heading === undefined ? { kind: 'paragraph' } : { kind: 'heading', level: this.#heading };
  }

  #pages(): { readonly page?: number; readonly lastPage?: number } {
    if (this.#options.pages !== true) return {};
    const [page, lastPage] = [this.#firstPage, this.#page];
    return lastPage > page ? { page, lastPage } : { page };
  }
}

/** Collapses spaces within lines and trims their ends, but keeps the indent of list items. */
function tidyLines(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const indent = /^ *(?=- )/.exec(line)?.[0] ?? '';
      return indent + line.slice(indent.length).replace(/ {2,}/g, ' ').trim();
    })
    .filter((line) => line.trim() !== '' && line.trim() !== '-')
    .join('\n');
}
