// Collects the paragraphs, lists, tables and pages of an RTF file as blocks.
import type { DocumentWriter, NewBlock } from '../../text/document-writer.ts';
import { oneLine } from '../table-rows.ts';

const LEVELS_MAX = 8;
const HEADING_LEVEL_MAX = 6;
const BETWEEN_CELLS = ' | ';

/** What is said of the current paragraph, until `reset`. */
interface ParagraphKind {
  /** From 1; 0 for other paragraphs. */
  heading: number;
  /** The level of a list item, from 0. */
  item: number | undefined;
  inTable: boolean;
}

export class RtfBlocks {
  readonly #writer: DocumentWriter;
  #text: string[] = [];
  #cells: string[] = [];
  #rows: string[] = [];
  #isMerged = false;
  #items: string[] = [];
  #page = 1;
  #kind: ParagraphKind = { heading: 0, item: undefined, inTable: false };

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  add(text: string): void {
    this.#text.push(text);
  }

  /** Takes a control word on the layout. */
  control(word: string, value = 0): void {
    if (word === 'pard') this.#kind = { heading: 0, item: undefined, inTable: false };
    else if (word === 'intbl') this.#kind.inTable = true;
    else if (word === 'outlinelevel')
      this.#kind.heading = value < 9 ? Math.min(value + 1, HEADING_LEVEL_MAX) : 0;
    else if (word === 'ls') this.#kind.item = value === 0 ? undefined : (this.#kind.item ?? 0);
    else if (word === 'ilvl') this.#kind.item = Math.min(Math.max(value, 0), LEVELS_MAX);
    else if (word === 'par' || word === 'sect') this.#endParagraph();
    else if (word === 'cell') this.#cells.push(oneLine(this.#taken()));
    else if (word === 'row') this.#endRow();
    else if (word === 'clvmrg') this.#isMerged = true;
    else if (word === 'page') this.#endPage();
  }

  /** @returns the number of the last page */
  finish(): number {
    this.#endParagraph();
    this.#endRow();
    this.#flush();
    return this.#page;
  }

  #endParagraph(): void {
    const { heading, item, inTable } = this.#kind;
    if (inTable) {
      this.#text.push(' ');
      return;
    }
    const text = this.#taken();
    if (text.trim() === '') return;
    if (item === undefined || this.#rows.length > 0) this.#flush();
    if (item !== undefined) this.#items.push(`${'  '.repeat(item)}- ${oneLine(text)}`);
    else if (heading > 0) this.#write('heading', oneLine(text), { level: heading });
    else this.#write('paragraph', text);
  }

  #endRow(): void {
    if (this.#items.length > 0) this.#flush();
    if (this.#cells.some((cell) => cell !== '')) this.#rows.push(this.#cells.join(BETWEEN_CELLS));
    this.#cells = [];
  }

  #endPage(): void {
    this.#endParagraph();
    this.#flush();
    this.#page++;
  }

  /** Ends a list or a table. */
  #flush(): void {
    this.#write('list', this.#items.join('\n'));
    this.#write('table', this.#rows.join('\n'), { isMerged: this.#isMerged });
    this.#items = [];
    if (this.#rows.length > 0) this.#isMerged = false;
    this.#rows = [];
  }

  #write(
    kind: 'heading' | 'paragraph' | 'list' | 'table',
    text: string,
    more: Pick<NewBlock, 'level' | 'isMerged'> = {},
  ): void {
    this.#writer.add({ kind, text, page: this.#page, ...more });
  }

  #taken(): string {
    const text = this.#text.join('');
    this.#text = [];
    return text;
  }
}
