// Parses Word files: mammoth converts their parts into HTML, which keeps headings, lists and tables.
import mammoth from 'mammoth';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { DocumentRefusal, refusal } from '../refusal.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { PAGE_BREAK_CLASS, writeHtml } from './html-blocks.ts';
import { ZipArchive } from './zip-archive.ts';

const MAIN_PART = 'word/document.xml';
/** Word stores these where its last layout ended a page, in runs, as it does page breaks. */
const RENDERED_PAGE_END = /<w:lastRenderedPageBreak\s*\/>/g;
const PAGE_BREAK = '<w:br w:type="page"/>';
const ASKED_PAGE_BREAK = /<w:br\s[^>]*w:type="page"[^>]*\/>/g;
/** The link after each note that leads back to its reference. */
const BACK_LINK = /\s*<a href="#(?:footnote|endnote)-ref-[^"]*">\u2191<\/a>/g;
const STYLES = [
  `br[type='page'] => br.${PAGE_BREAK_CLASS}`,
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => h2:fresh",
];

/** The part of an archive's interface that mammoth uses. Passing our own avoids its unbounded decompression. */
interface ArchiveForMammoth {
  exists(name: string): boolean;
  read(name: string, encoding?: string): Promise<string | Uint8Array>;
}

/**
 * Parses a Word file. Pictures are skipped, and linked files are never opened.
 * @throws DocumentRefusal `corrupt`, `encrypted`, `unsupported-type`, `too-large`, `too-deep` or `empty`
 */
export async function parseDocx(bytes: Uint8Array, limits: ParseLimits): Promise<ParsedDocument> {
  const archive = new ZipArchive(bytes, limits);
  if (!archive.has(MAIN_PART))
    throw refusal('corrupt', { detail: 'it is a zip archive but not a Word file' });
  const html = await toHtml(archive);
  const writer = new DocumentWriter(limits);
  const lastPage = writeHtml(html, writer, { ...limits, pages: true });
  return writer.finish('docx', lastPage > 1 ? lastPage : undefined);
}

async function toHtml(archive: ZipArchive): Promise<string> {
  const file: ArchiveForMammoth = {
    exists: (name) => archive.has(name),
    read: async (name, encoding) => {
      const part = archive.read(name);
      if (encoding === undefined) return part;
      const text = part.toString('utf8');
      return name === MAIN_PART ? withPageBreaks(text) : text;
    },
  };
  try {
    // The package's types lack `file`, the option through which mammoth accepts an open archive.
    const input = { file } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
    const { value } = await mammoth.convertToHtml(input, {
      styleMap: STYLES,
      includeEmbeddedStyleMap: false,
      externalFileAccess: false,
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    });
    return value.replace(BACK_LINK, '');
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error;
    throw refusal('corrupt', { detail: 'its Word markup cannot be read' });
  }
}

/** Marks the page breaks of the last layout where Word stored them, else those that the author inserted. */
function withPageBreaks(xml: string): string {
  if (xml.search(RENDERED_PAGE_END) < 0) return xml;
  return xml.replace(ASKED_PAGE_BREAK, '').replace(RENDERED_PAGE_END, PAGE_BREAK);
}
