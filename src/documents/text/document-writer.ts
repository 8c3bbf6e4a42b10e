// Collects the blocks of a document into one text with offsets, and limits both.
import type { Block, BlockKind, DocumentType, ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { TableCollector } from '../tables/table-collector.ts';
import { collectTextTable } from '../tables/text-tables.ts';
import { cleanText } from './clean-text.ts';

export interface NewBlock {
  readonly kind: BlockKind;
  readonly text: string;
  readonly level?: number;
  readonly page?: number;
  readonly lastPage?: number;
  /** Whether a table has cells that are merged over several rows, so that some rows lack values that they have. */
  readonly isMerged?: boolean;
}

const BETWEEN_BLOCKS = '\n\n';
/** Rows are closer to each other than paragraphs are, and there are many. */
const BETWEEN_ROWS = '\n';
/** Blank lines separate blocks; only code may contain them. */
const BLANK_LINES = /\n[ \t]*\n\s*/g;
const LEADING_BLANK_LINES = /^(?:[ \t]*\n)+/;

export class DocumentWriter {
  readonly #limits: ParseLimits;
  readonly #parts: string[] = [];
  readonly #blocks: Block[] = [];
  readonly #tables = new TableCollector();
  #heading = '';
  #length = 0;

  constructor(limits: ParseLimits) {
    this.#limits = limits;
  }

  /**
   * Adds a block, unless its text is blank.
   * @throws DocumentRefusal `too-large`
   */
  add({ text: raw, kind, isMerged = false, ...position }: NewBlock): void {
    this.#check(raw.length);
    const text = shaped(cleanText(raw), kind);
    if (text === '') return;
    const separator = this.#separatorBefore(kind);
    this.#check(separator.length + text.length);
    const start = this.#length + separator.length;
    this.#parts.push(separator, text);
    this.#length = start + text.length;
    this.#blocks.push({ kind, ...position, start, end: this.#length });
    if (kind === 'heading') this.#heading = text;
    if (kind === 'table' && !isMerged) collectTextTable(text, this.#heading, this.#tables);
  }

  /** Collects the rows of tables, which are not checked against the limits of the text. Blocks of kind `table` are collected. */
  get tables(): TableCollector {
    return this.#tables;
  }

  /** The text of the last heading; empty before the first. */
  get heading(): string {
    return this.#heading;
  }

  /** @throws DocumentRefusal `empty` when no block was added */
  finish(type: DocumentType, pageCount?: number): ParsedDocument {
    if (this.#blocks.length === 0) throw refusal(type === 'pdf' ? 'no-text' : 'empty');
    const text = this.#parts.join('');
    // Rows of a PDF file are recognized by its layout, so nobody knows whether these are all.
    const tables = type === 'pdf' ? [] : this.#tables.finish();
    return {
      type,
      text,
      blocks: this.#blocks,
      ...(pageCount !== undefined && { pageCount }),
      ...(tables.length > 0 && { tables }),
    };
  }

  #separatorBefore(kind: BlockKind): string {
    const before = this.#blocks.at(-1);
    if (before === undefined) return '';
    return kind === 'row' && before.kind === 'row' ? BETWEEN_ROWS : BETWEEN_BLOCKS;
  }

  #check(more: number): void {
    const { charactersMax, blocksMax } = this.#limits;
    if (this.#length + more > charactersMax) {
      throw refusal('too-large', { detail: `it contains more than ${charactersMax} characters of text` });
    }
    if (this.#blocks.length === blocksMax) {
      throw refusal('too-large', { detail: `it contains more than ${blocksMax} paragraphs or rows` });
    }
  }
}

function shaped(text: string, kind: BlockKind): string {
  if (kind === 'code') return text.trimEnd().replace(LEADING_BLANK_LINES, '');
  return text.replace(BLANK_LINES, '\n').trim();
}
