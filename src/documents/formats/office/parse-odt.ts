// Parses OpenDocument texts: headings, paragraphs, lists, tables, notes, and pages where the file has them.
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { type HtmlSink, htmlSink, PAGE_BREAK_CLASS } from '../html-blocks.ts';
import { ZipArchive } from '../zip-archive.ts';
import { readXml, type XmlAttributes } from './read-xml.ts';

const CONTENT_PART = 'content.xml';
const MANIFEST_PART = 'META-INF/manifest.xml';
/** Elements with the HTML elements that mean the same (OpenDocument 1.3, part 3). */
const HTML_NAMES: Readonly<Record<string, string>> = {
  p: 'p',
  list: 'ul',
  'list-item': 'li',
  'list-header': 'li',
  table: 'table',
  'table-row': 'tr',
  'table-cell': 'td',
  'covered-table-cell': 'td',
};
/** Deleted texts, comments, what repeats on every page, marks of notes, and alternatives of pictures. */
const SKIPPED = new Set(
  'tracked-changes annotation forms sequence-decls note-citation desc title settings binary-data'.split(' '),
);
const HEADING_LEVEL_MAX = 6;
/** Consecutive spaces mean nothing in this text, so a few stand for any number of them. */
const SPACES: Readonly<Record<string, string>> = { s: ' ', tab: '\t' };

/**
 * Parses an OpenDocument text. Notes stand in brackets where they are referred to.
 * @throws DocumentRefusal `corrupt`, `encrypted`, `too-large`, `too-deep` or `empty`
 */
export function parseOdt(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const archive = new ZipArchive(bytes, limits);
  if (!archive.has(CONTENT_PART)) throw notText();
  requireOpen(archive, limits);
  const writer = new DocumentWriter(limits);
  const sink = htmlSink(writer, { ...limits, pages: true });
  const reader = new OdtReader(sink);
  readXml(archive.read(CONTENT_PART), reader, limits);
  if (!reader.isText) throw notText();
  const lastPage = sink.finish();
  return writer.finish('odt', lastPage > 1 ? lastPage : undefined);
}

function notText(): Error {
  return refusal('corrupt', { detail: 'it is a zip archive but not an OpenDocument text' });
}

/** Encrypted files have their parts encrypted one by one, which the manifest tells. */
function requireOpen(archive: ZipArchive, limits: ParseLimits): void {
  if (!archive.has(MANIFEST_PART)) return;
  const open = (name: string) => {
    if (name === 'encryption-data') throw refusal('encrypted');
  };
  readXml(archive.read(MANIFEST_PART), { open }, limits);
}

class OdtReader {
  readonly #sink: HtmlSink;
  #depth = 0;
  /** The depth of the `text` element of the document's body; 0 outside of it. */
  #bodyAt = 0;
  /** The depth of the outermost element that is skipped; 0 outside of one. */
  #skippedFrom = 0;
  /** How many notes are open: their paragraphs belong to the one that refers to them. */
  #notes = 0;
  /** The HTML elements that are open. */
  readonly #opened: string[] = [];
  /** Whether a list item has just begun: its first paragraph stands beside its mark. */
  #isItemStart = false;
  isText = false;

  constructor(sink: HtmlSink) {
    this.#sink = sink;
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#depth++;
    if (this.#bodyAt === 0) this.#enter(name);
    else if (this.#skippedFrom === 0) this.#openShown(name, attributes);
  }

  text(text: string): void {
    if (this.#bodyAt > 0 && this.#skippedFrom === 0) this.#sink.text(text);
  }

  close(name: string): void {
    const depth = this.#depth--;
    if (depth === this.#bodyAt) this.#bodyAt = 0;
    if (this.#bodyAt === 0) return;
    if (depth === this.#skippedFrom) this.#skippedFrom = 0;
    else if (this.#skippedFrom === 0) this.#closeShown(name);
  }

  #enter(name: string): void {
    if (name !== 'text') return;
    this.#bodyAt = this.#depth;
    this.isText = true;
  }

  #openShown(name: string, attributes: XmlAttributes): void {
    if (SKIPPED.has(name)) this.#skippedFrom = this.#depth;
    else if (name === 'note') this.#beginNote();
    else if (name === 'soft-page-break') this.#lineBreak(PAGE_BREAK_CLASS);
    else if (name === 'line-break') this.#lineBreak('');
    else if (SPACES[name] !== undefined) this.#sink.text(SPACES[name] ?? '');
    else if (name === 'h' && this.#notes === 0) this.#openHeading(attributes['text:outline-level']);
    else if (HTML_NAMES[name] !== undefined && this.#notes === 0) this.#openElement(HTML_NAMES[name] ?? '');
  }

  #closeShown(name: string): void {
    if (name === 'note') this.#endNote();
    else if ((HTML_NAMES[name] !== undefined || name === 'h') && this.#notes === 0)
      this.#sink.close(this.#opened.pop() ?? '');
  }

  #openHeading(text = '1'): void {
    const level = Math.min(Math.max(Math.trunc(Number(text)) || 1, 1), HEADING_LEVEL_MAX);
    this.#openElement(`h${level}`);
  }

  #openElement(name: string): void {
    const shown = name === 'p' && this.#isItemStart ? 'span' : name;
    this.#isItemStart = name === 'li';
    this.#opened.push(shown);
    this.#sink.open(shown, {});
  }

  #lineBreak(kind: string): void {
    this.#sink.open('br', { class: kind });
    this.#sink.close('br');
  }

  #beginNote(): void {
    if (this.#notes++ === 0) this.#sink.text(' [');
  }

  #endNote(): void {
    if (--this.#notes === 0) this.#sink.text(']');
  }
}
