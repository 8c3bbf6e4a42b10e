// Parses EPUB books: the title and its authors, then the chapters in reading order.
import { posix } from 'node:path';
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { decodeText } from '../../text/decode-text.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { writeHtml } from '../html-blocks.ts';
import { readXml, type XmlAttributes } from '../office/read-xml.ts';
import { oneLine } from '../table-rows.ts';
import { ZipArchive } from '../zip-archive.ts';
import { readPackage } from './epub-package.ts';

const CONTAINER_PART = 'META-INF/container.xml';
const ENCRYPTION_PART = 'META-INF/encryption.xml';
/** These scramble fonts, and leave the text readable. */
const FONT_ALGORITHMS = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;
const HEAD_END = /<\/head\s*>/i;
const TITLE = /<title[^<>]*>([^<]*)<\/title\s*>/i;
const HEADING = /<h[1-6][\s>]/i;
/** Empty elements in the notation of XML, which HTML takes for open ones. */
const SELF_CLOSED = /<(title|script|style|textarea|iframe|p|div|span|a|td|th|li)((?:\s[^<>]*)?)\/>/gi;

/**
 * Parses an EPUB book. A chapter without headings has its title, unless that is the book's.
 * @throws DocumentRefusal `corrupt`, `encrypted`, `too-large`, `too-deep` or `empty`
 */
export function parseEpub(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const archive = new ZipArchive(bytes, limits);
  const book = readPackage(archive, packagePart(archive, limits), limits);
  requireOpen(archive, limits);
  const writer = new DocumentWriter(limits);
  writer.add({ kind: 'heading', level: 1, text: oneLine(book.title) });
  writer.add({ kind: 'paragraph', text: book.authors.map(oneLine).join(', ') });
  for (const chapter of book.chapters) {
    const html = decodeText(archive.read(chapter), 'utf-8').replace(SELF_CLOSED, '<$1$2></$1>');
    const title = oneLine(TITLE.exec(html)?.[1] ?? '');
    const body = html.slice(Math.max(0, html.search(HEAD_END)));
    const isTitled = title !== '' && title !== oneLine(book.title) && !HEADING.test(body);
    const shown = isTitled ? `<h1>${title}</h1>${body}` : body;
    writeHtml(shown, writer, limits);
  }
  return writer.finish('epub');
}

/** @throws DocumentRefusal `corrupt` */
function packagePart(archive: ZipArchive, limits: ParseLimits): string {
  let part: string | undefined;
  const open = (name: string, attributes: XmlAttributes) => {
    if (name === 'rootfile') part ??= posix.normalize(attributes['full-path'] ?? '');
  };
  if (archive.has(CONTAINER_PART)) readXml(archive.read(CONTAINER_PART), { open }, limits);
  if (part !== undefined && archive.has(part)) return part;
  throw refusal('corrupt', { detail: 'it is a zip archive but not an EPUB book' });
}

function requireOpen(archive: ZipArchive, limits: ParseLimits): void {
  if (!archive.has(ENCRYPTION_PART)) return;
  const open = (name: string, { Algorithm = '' }: XmlAttributes) => {
    if (name === 'EncryptionMethod' && !FONT_ALGORITHMS.test(Algorithm)) throw refusal('encrypted');
  };
  readXml(archive.read(ENCRYPTION_PART), { open }, limits);
}
