// Follows the groups of an RTF file, and decodes the text that its readers see.
import { refusal } from '../../refusal.ts';
import type { RtfBlocks } from './rtf-blocks.ts';
import { charsetEncoding, codePageEncoding, DEFAULT_ENCODING, SIGNS, SILENT_GROUPS } from './rtf-signs.ts';
import type { RtfToken } from './rtf-tokens.ts';

/** What a group inherits from the one around it. */
interface Group {
  isSilent: boolean;
  isHidden: boolean;
  isFontTable: boolean;
  isNote: boolean;
  encoding: string;
  /** How many signs after a Unicode sign repeat it for older readers. */
  fallbackSigns: number;
}

const UNICODE_UNITS = 0x10000;

export class RtfReader {
  readonly #blocks: RtfBlocks;
  readonly #depthMax: number;
  readonly #groups: Group[] = [];
  readonly #fonts = new Map<number, string>();
  #group: Group = {
    isSilent: false,
    isHidden: false,
    isFontTable: false,
    isNote: false,
    encoding: DEFAULT_ENCODING,
    fallbackSigns: 1,
  };
  #documentEncoding = DEFAULT_ENCODING;
  /** The font that the font table describes. */
  #font = 0;
  /** Bytes of text that are not decoded yet: a sign may have several. */
  #bytes: string[] = [];
  /** Signs still to skip after a Unicode sign. */
  #skipped = 0;

  constructor(blocks: RtfBlocks, depthMax: number) {
    this.#blocks = blocks;
    this.#depthMax = depthMax;
  }

  /** @throws DocumentRefusal `corrupt` or `too-deep` */
  take(token: RtfToken): void {
    if (token.kind === 'text') this.#text(token.text);
    else {
      this.#decode();
      if (token.kind === 'begin') this.#begin();
      else if (token.kind === 'end') this.#end();
      else if (token.kind === 'symbol') this.#symbol(token.text);
      else this.#word(token.text, token.value);
    }
  }

  /** @throws DocumentRefusal `corrupt` */
  finish(): void {
    this.#decode();
    if (this.#groups.length > 0) throw refusal('corrupt', { detail: 'its RTF ends within a group' });
  }

  #begin(): void {
    this.#skipped = 0;
    if (this.#groups.length === this.#depthMax) throw refusal('too-deep', { max: this.#depthMax });
    this.#groups.push(this.#group);
    this.#group = { ...this.#group };
  }

  #end(): void {
    this.#skipped = 0;
    const outer = this.#groups.pop();
    if (outer === undefined)
      throw refusal('corrupt', { detail: 'its RTF ends a group that it did not begin' });
    if (this.#group.isNote && !outer.isNote) this.#show(']');
    this.#group = outer;
  }

  #symbol(sign: string): void {
    if (sign === '*') this.#group.isSilent = true;
    else if (sign === '\n' || sign === '\r') this.#control('par');
    else this.#sign(SIGNS[sign] ?? '');
  }

  #word(word: string, value: number | undefined): void {
    const group = this.#group;
    if (SILENT_GROUPS.has(word)) group.isSilent = true;
    else if (word === 'fonttbl') group.isFontTable = true;
    else if (word === 'footnote') this.#beginNote();
    else if (word === 'v' || word === 'deleted') group.isHidden = value !== 0;
    else if (word === 'plain') this.#plain();
    else if (word === 'uc') group.fallbackSigns = Math.min(Math.max(value ?? 1, 0), 8);
    else if (word === 'u') this.#unicode(value ?? 0);
    else if (SIGNS[word] !== undefined) this.#sign(SIGNS[word] ?? '');
    else if (!this.#fontWord(word, value ?? 0)) this.#control(word, value);
  }

  /** @returns whether the word is on fonts and encodings */
  #fontWord(word: string, value: number): boolean {
    if (word === 'ansicpg') this.#setDocumentEncoding(codePageEncoding(value));
    else if (word === 'mac') this.#setDocumentEncoding('macintosh');
    else if (word === 'fcharset')
      this.#fonts.set(this.#font, charsetEncoding(value) ?? this.#documentEncoding);
    else if (word === 'f' && this.#group.isFontTable) this.#font = value;
    else if (word === 'f') this.#group.encoding = this.#fonts.get(value) ?? this.#documentEncoding;
    else return false;
    return true;
  }

  #setDocumentEncoding(encoding: string): void {
    this.#documentEncoding = encoding;
    this.#group.encoding = encoding;
  }

  #plain(): void {
    this.#group.isHidden = false;
    this.#group.encoding = this.#documentEncoding;
  }

  #beginNote(): void {
    if (!this.#group.isNote) this.#show(' [');
    this.#group.isNote = true;
  }

  #control(word: string, value?: number): void {
    const { isSilent, isFontTable, isNote } = this.#group;
    if (!isSilent && !isFontTable && !isNote) this.#blocks.control(word, value);
  }

  #unicode(value: number): void {
    this.#show(String.fromCharCode(((value % UNICODE_UNITS) + UNICODE_UNITS) % UNICODE_UNITS));
    this.#skipped = this.#group.fallbackSigns;
  }

  #sign(sign: string): void {
    if (this.#skipped > 0) this.#skipped--;
    else this.#show(sign);
  }

  #text(bytes: string): void {
    const skipped = Math.min(this.#skipped, bytes.length);
    this.#skipped -= skipped;
    this.#bytes.push(bytes.slice(skipped));
  }

  #decode(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Buffer.from(this.#bytes.join(''), 'latin1');
    this.#bytes = [];
    this.#show(new TextDecoder(this.#group.encoding).decode(bytes));
  }

  #show(text: string): void {
    const { isSilent, isHidden, isFontTable } = this.#group;
    if (!isSilent && !isHidden && !isFontTable) this.#blocks.add(text);
  }
}
