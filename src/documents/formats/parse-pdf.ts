// Reads the text layer of PDF files, page by page, with the places that tell lines and headings.
import { getDocumentProxy } from 'unpdf';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { DocumentRefusal, refusal } from '../refusal.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { writePdfLines } from './pdf-blocks.ts';
import { linesOf, type PdfLine } from './pdf-lines.ts';

type PdfFile = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Nothing is fetched and nothing drawn; damage is an error and not a warning on the terminal. */
const READER_OPTIONS = {
  verbosity: 0,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  stopAtErrors: true,
  enableXfa: false,
} as const;

/**
 * The pages a file claims to have are not believed: the reader counts what is there before anything is allocated.
 * @throws DocumentRefusal `encrypted`, `corrupt`, `too-many-pages`, `no-text` or `too-large`
 */
export async function parsePdf(bytes: Uint8Array, limits: ParseLimits): Promise<ParsedDocument> {
  const file = await openPdf(bytes);
  try {
    const { numPages: pages } = file;
    if (pages > limits.pagesMax) throw refusal('too-many-pages', { pages, max: limits.pagesMax });
    const writer = new DocumentWriter(limits);
    writePdfLines(await allLines(file, limits), writer);
    return writer.finish('pdf', pages);
  } finally {
    await file.loadingTask.destroy();
  }
}

async function openPdf(bytes: Uint8Array): Promise<PdfFile> {
  try {
    // The reader takes the memory it is given for its own.
    return await getDocumentProxy(new Uint8Array(bytes), READER_OPTIONS);
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
async function linesOfPage(file: PdfFile, number: number): Promise<PdfLine[]> {
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
