// Parses the text layer of PDF files page by page, with the positions that reveal lines and headings.
import { getDocumentProxy } from 'unpdf';
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { PICTURE_PIXELS_MAX, type PictureText } from '../../pictures/picture-model.ts';
import { DocumentRefusal, refusal } from '../../refusal.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { writePdfLines } from './pdf-blocks.ts';
import { linesOf, type PdfLine } from './pdf-lines.ts';

export type PdfFile = Awaited<ReturnType<typeof getDocumentProxy>>;

/** The reader fetches and draws nothing, and reports damage as an error instead of a warning on the terminal. */
const READER_OPTIONS = {
  verbosity: 0,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  enableXfa: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: PICTURE_PIXELS_MAX,
} as const;

/**
 * Parses a PDF file. The page count that a file claims is not trusted: the reader counts the pages that exist before
 * allocating anything for them.
 * @param pictures descriptions of pictures in page order; each is added to the end of the text of its page
 * @throws DocumentRefusal `encrypted`, `corrupt`, `too-many-pages`, `no-text` or `too-large`
 */
export function parsePdf(
  bytes: Uint8Array,
  limits: ParseLimits,
  pictures: readonly PictureText[] = [],
): Promise<ParsedDocument> {
  return withPdf(bytes, limits, async (file) => {
    const writer = new DocumentWriter(limits);
    writePdfLines(await allLines(file, limits), writer, pictures);
    return writer.finish('pdf', file.numPages);
  });
}

/**
 * Opens a PDF file, passes it to `read` and closes it.
 * @throws DocumentRefusal `encrypted`, `corrupt` or `too-many-pages`; whatever `read` throws
 */
export async function withPdf<Result>(
  bytes: Uint8Array,
  { pagesMax, ...options }: Pick<ParseLimits, 'pagesMax'> & { readonly stopAtErrors?: boolean },
  read: (file: PdfFile) => Promise<Result>,
): Promise<Result> {
  const file = await openPdf(bytes, options.stopAtErrors ?? true);
  try {
    const { numPages: pages } = file;
    if (pages > pagesMax) throw refusal('too-many-pages', { pages, max: pagesMax });
    return await read(file);
  } finally {
    await file.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array, stopAtErrors: boolean): Promise<PdfFile> {
  try {
    // Copied, because the reader takes ownership of the memory it is given.
    return await getDocumentProxy(new Uint8Array(bytes), { ...READER_OPTIONS, stopAtErrors });
  } catch (error) {
    if (nameOf(error) === 'PasswordException') throw refusal('encrypted');
    throw refusal('corrupt', { detail: 'it is not a complete PDF file' });
  }
}

async function allLines(file: PdfFile, limits: ParseLimits): Promise<PdfLine[]> {
  const lines: PdfLine[] = [];
  let characters = 0;
  for (let page = 1; page <= file.numPages; page++) {
    for (const line of await linesOfPage(file, page)) {
      lines.push(line);
      characters += line.text.length;
    }
    if (characters > limits.charactersMax) {
      throw refusal('too-large', {
        detail: `it contains more than ${limits.charactersMax} characters of text`,
      });
    }
  }
  return lines;
}

/**
 * Returns the lines of a page. An unreadable page makes the whole file unreadable: an answer from the other pages
 * would look like one from all of them.
 */
export async function linesOfPage(file: PdfFile, number: number): Promise<PdfLine[]> {
  try {
    const page = await file.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: false });
    page.cleanup();
    return linesOf(
      items.filter((item) => 'str' in item),
      number,
    );
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error;
    throw refusal('corrupt', { detail: `page ${number} cannot be read` });
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
