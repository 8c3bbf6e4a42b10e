// Reads the text layer of PDF files, page by page, with the places that tell lines and headings.
import { getDocumentProxy } from 'unpdf';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { PICTURE_PIXELS_MAX, type PictureText } from '../pictures/picture-model.ts';
import { DocumentRefusal, refusal } from '../refusal.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { writePdfLines } from './pdf-blocks.ts';
import { linesOf, type PdfLine } from './pdf-lines.ts';

export type PdfFile = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Nothing is fetched and nothing drawn; damage is an error and not a warning on the terminal. */
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
 * The pages a file claims to have are not believed: the reader counts what is there before anything is allocated.
 * @param pictures what the pictures of pages show, to stand at the end of the text of these
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

/** @throws DocumentRefusal `encrypted`, `corrupt` or `too-many-pages`; what `read` throws */
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
    // The reader takes the memory it is given for its own.
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
      throw refusal('too-large', { detail: `it holds more than ${limits.charactersMax} characters of text` });
    }
  }
  return lines;
}

/** A page that cannot be read refuses the whole file: an answer from the rest would look like one from all of it. */
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
