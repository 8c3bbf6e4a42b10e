// Reads the text of a slide, its notes or its diagram: titles, lists, paragraphs and tables (ECMA-376, DrawingML).
import type { NewBlock } from '../../text/document-writer.ts';
import { oneLine } from '../table-rows.ts';
import { readXml, type XmlAttributes, type XmlLimits } from './read-xml.ts';

/** Placeholders for what repeats on every slide. */
const FURNITURE = new Set(['dt', 'ftr', 'hdr', 'sldNum', 'sldImg']);
const TITLES = new Set(['title', 'ctrTitle']);
const LEVELS_MAX = 8;
const BETWEEN_CELLS = ' | ';

export interface SlideText {
  readonly title: string;
  readonly blocks: readonly NewBlock[];
}

interface Paragraph {
  level: number;
  text: string;
}

export interface SlideOptions {
  readonly limits: XmlLimits;
  /** Whether the paragraphs of the body are the items of a list, as they are on slides but not in notes. */
  readonly lists: boolean;
}

/** @throws DocumentRefusal `corrupt` or `too-deep` */
export function readSlide(part: Uint8Array, { limits, lists }: SlideOptions): SlideText {
  const reader = new SlideReader(lists);
  readXml(part, reader, limits);
  return reader.finish();
}

class SlideReader {
  readonly #lists: boolean;
  readonly #titles: string[] = [];
  readonly #blocks: NewBlock[] = [];
  /** Of the current shape; undefined for a text box. */
  #placeholder: string | undefined;
  #paragraphs: Paragraph[] = [];
  #rows: string[][] | undefined;
  #isMerged = false;
  #isText = false;
  /** Alternatives for programs that do not know the first one. */
  #fallbacks = 0;

  constructor(lists: boolean) {
    this.#lists = lists;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'Fallback') this.#fallbacks++;
    if (this.#fallbacks > 0) return;
    const paragraph = this.#paragraphs.at(-1);
    if (name === 'sp') this.#endShape();
    else if (name === 'ph') this.#placeholder = attributes.type ?? 'body';
    else if (name === 'p') this.#paragraphs.push({ level: 0, text: '' });
    else if (name === 'pPr' && paragraph !== undefined) paragraph.level = levelOf(attributes.lvl);
    else if (name === 'br' && paragraph !== undefined) paragraph.text += '\n';
    else if (name === 'tbl') this.#beginTable();
    else if (name === 'tr') this.#rows?.push([]);
    else if (name === 'tc') this.#isMerged ||= isTrue(attributes.vMerge);
    else if (name === 't') this.#isText = true;
  }

  text(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (this.#isText && this.#fallbacks === 0 && paragraph !== undefined) paragraph.text += text;
  }

  close(name: string): void {
    if (name === 'Fallback') this.#fallbacks--;
    else if (name === 't') this.#isText = false;
    else if (name === 'sp') this.#endShape();
    else if (name === 'tc') this.#endCell();
    else if (name === 'tbl') this.#endTable();
  }

  finish(): SlideText {
    this.#endShape();
    return { title: this.#titles.join(' '), blocks: this.#blocks };
  }

  #endShape(): void {
    const placeholder = this.#placeholder;
    const paragraphs = this.#taken();
    this.#placeholder = undefined;
    if (paragraphs.length === 0 || FURNITURE.has(placeholder ?? '')) return;
    if (TITLES.has(placeholder ?? ''))
      this.#titles.push(paragraphs.map(({ text }) => oneLine(text)).join(' '));
    else if (this.#lists && placeholder === 'body' && paragraphs.length > 1)
      this.#blocks.push(listOf(paragraphs));
    else for (const { text } of paragraphs) this.#blocks.push({ kind: 'paragraph', text });
  }

  #beginTable(): void {
    this.#endShape();
    this.#rows = [];
    this.#isMerged = false;
  }

  #endCell(): void {
    const lines = this.#taken().map(({ text }) => oneLine(text));
    this.#rows?.at(-1)?.push(lines.join(' '));
  }

  #endTable(): void {
    const rows = (this.#rows ?? []).filter((row) => row.some((cell) => cell !== ''));
    this.#rows = undefined;
    const text = rows.map((row) => row.join(BETWEEN_CELLS)).join('\n');
    this.#blocks.push({ kind: 'table', text, isMerged: this.#isMerged });
  }

  /** The paragraphs since the last call, without blank ones. */
  #taken(): readonly Paragraph[] {
    const paragraphs = this.#paragraphs.filter(({ text }) => text.trim() !== '');
    this.#paragraphs = [];
    return paragraphs;
  }
}

function levelOf(text = '0'): number {
  const level = Number(text);
  return Number.isInteger(level) ? Math.min(Math.max(level, 0), LEVELS_MAX) : 0;
}

function isTrue(text = '0'): boolean {
  return text === '1' || text === 'true';
}

function listOf(paragraphs: readonly Paragraph[]): NewBlock {
  const lines = paragraphs.map(({ level, text }) => `${'  '.repeat(level)}- ${oneLine(text)}`);
  return { kind: 'list', text: lines.join('\n') };
}
