// Parses the text layer of PDF files page by page, with the positions that reveal lines and headings.
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { PICTURE_PIXELS_MAX, type PictureText } from '../../pictures/picture-model.ts';
import { DocumentRefusal, refusal } from '../../refusal.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { type PageText, writePdfLines } from './pdf-blocks.ts';
import type { PdfTextItem } from './pdf-direction.ts';
import { filledFields } from './pdf-fields.ts';
import { linesOf, mayHaveTable, type PdfLine } from './pdf-lines.ts';
import { NO_RULES, type Rules, rulesOf } from './pdf-rules.ts';

export type PdfFile = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Pages whose drawing is read for the rules of tables, which takes several times as long as their text. */
const RULED_PAGES_MAX = 300;

/** The reader fetches and draws nothing, and reports damage as an error instead of a warning on the terminal. */
const READER_OPTIONS = {
  verbosity: 0,
  useSystemFonts: false,
  disableFontFace: true,
  useWorkerFetch: false,
  enableXfa: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
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
    const { lines, fields } = await withRules(await allPages(file, limits), bytes, limits);
    const described = pictures.map((picture) => ({ ...picture, kind: 'paragraph' as const }));
    writePdfLines(
      lines,
      writer,
      [...fields, ...described].sort((a, b) => a.page - b.page),
    );
    // Descriptions of pictures and values of forms are no text layer: what stands on a scanned page is still unread.
    const textless = pagesWithout(lines, file.numPages);
    return { ...writer.finish('pdf', file.numPages), ...(textless.length > 0 && { textless }) };
  });
}

/**
 * Opens a PDF file, passes it to `read` and closes it.
 * @throws DocumentRefusal `encrypted`, `corrupt` or `too-many-pages`; whatever `read` throws
 */
export async function withPdf<Result>(
  bytes: Uint8Array,
  { pagesMax, ...options }: Pick<ParseLimits, 'pagesMax'> & OpenOptions,
  read: (file: PdfFile) => Promise<Result>,
): Promise<Result> {
  const file = await openPdf(bytes, options);
  try {
    const { numPages: pages } = file;
    if (pages > pagesMax) throw refusal('too-many-pages', { pages, max: pagesMax });
    return await read(file);
  } finally {
    await file.loadingTask.destroy();
  }
}

interface OpenOptions {
  readonly stopAtErrors?: boolean;
  /** Larger pictures are skipped. */
  readonly picturePixelsMax?: number;
}

async function openPdf(
  bytes: Uint8Array,
  { stopAtErrors = true, picturePixelsMax = PICTURE_PIXELS_MAX }: OpenOptions,
): Promise<PdfFile> {
  try {
    // Copied, because the reader takes ownership of the memory it is given.
    return await getDocumentProxy(new Uint8Array(bytes), {
      ...READER_OPTIONS,
      stopAtErrors,
      maxImageSize: picturePixelsMax,
    });
  } catch (error) {
    if (nameOf(error) === 'PasswordException') throw refusal('encrypted');
    throw refusal('corrupt', { detail: 'it is not a complete PDF file' });
  }
}

interface PageContent {
  readonly items: readonly PdfTextItem[];
  /** What is filled into forms. */
  readonly fields: readonly PageText[];
}

/** In page order. */
type FileContent = readonly PageContent[];

async function allPages(file: PdfFile, { charactersMax }: ParseLimits): Promise<FileContent> {
  const pages: PageContent[] = [];
  const hasForm = await isForm(file);
  let characters = 0;
  for (let page = 1; page <= file.numPages; page++) {
    const found = await contentOfPage(file, page, hasForm);
    pages.push(found);
    characters += [...found.items.map(({ str }) => str), ...found.fields.map(({ text }) => text)].join(
      '',
    ).length;
    if (characters > charactersMax) {
      throw refusal('too-large', { detail: `it contains more than ${charactersMax} characters of text` });
    }
  }
  return pages;
}

/** Returns the lines of a page. @throws DocumentRefusal `corrupt` */
export async function linesOfPage(file: PdfFile, number: number): Promise<readonly PdfLine[]> {
  return linesOf((await contentOfPage(file, number, false)).items, number);
}

async function isForm(file: PdfFile): Promise<boolean> {
  try {
    return (await file.getFieldObjects()) !== null;
  } catch {
    return false;
  }
}

/**
 * Reads a page. An unreadable page makes the whole file unreadable: an answer from the other pages would look like one
 * from all of them.
 */
async function contentOfPage(file: PdfFile, number: number, hasForm: boolean): Promise<PageContent> {
  try {
    const page = await file.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: false });
    const texts = hasForm ? filledFields(await page.getAnnotations()) : [];
    page.cleanup();
    return {
      items: items.filter((item) => 'str' in item),
      fields: texts.map((text) => ({ page: number, text, kind: 'row' })),
    };
  } catch (error) {
    if (error instanceof DocumentRefusal) throw error;
    throw refusal('corrupt', { detail: `page ${number} cannot be read` });
  }
}

/** Makes the lines of all pages, divided at the rules of those that may have tables. */
async function withRules(
  pages: FileContent,
  bytes: Uint8Array,
  limits: ParseLimits,
): Promise<{ readonly lines: readonly PdfLine[]; readonly fields: readonly PageText[] }> {
  const divided = pages.flatMap(({ items }, at) => (mayHaveTable(items) ? [at + 1] : []));
  const rules = await rulesOfPages(bytes, limits, divided.slice(0, RULED_PAGES_MAX));
  return {
    lines: pages.flatMap(({ items }, at) => linesOf(items, at + 1, rules.get(at + 1))),
    fields: pages.flatMap(({ fields }) => fields),
  };
}

/**
 * Returns the rules of pages. They only help to divide tables, so a page whose drawing cannot be read has none.
 * Pictures are not decoded for them.
 */
async function rulesOfPages(
  bytes: Uint8Array,
  { pagesMax }: ParseLimits,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Rules>> {
  const rules = new Map<number, Rules>();
  if (numbers.length === 0) return rules;
  await withPdf(bytes, { pagesMax, stopAtErrors: false, picturePixelsMax: 1 }, async (file) => {
    const { OPS } = await getResolvedPDFJS();
    for (const number of numbers) {
      try {
        const page = await file.getPage(number);
        rules.set(number, rulesOf(await page.getOperatorList(), OPS));
        page.cleanup();
      } catch {
        rules.set(number, NO_RULES);
      }
    }
  });
  return rules;
}

/** The pages on which nothing is, from 1. */
function pagesWithout(content: readonly { readonly page: number }[], pages: number): readonly number[] {
  const written = new Set(content.map(({ page }) => page));
  return Array.from({ length: pages }, (_, at) => at + 1).filter((page) => !written.has(page));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
