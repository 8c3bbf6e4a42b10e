// Reads the pages of a PDF file that have no text layer, where a program for it is set up.
import {
  type ChunkedDocument,
  type DocumentInput,
  type DocumentParser,
  DocumentRefusal,
  type ParseOptions,
  type PictureText,
  refusal,
  type ScanReader,
} from '../../../documents/port.ts';

/** Of one file; its other pages without text stay without. */
export const SCANNED_PAGES_MAX = 1_000;

export interface ScanParts {
  readonly parser: Pick<DocumentParser, 'chunk' | 'pictures'>;
  /** Null where none is set up. */
  readonly scanReader?: ScanReader | null | undefined;
}

/**
 * Parses a file. The pictures of PDF pages without text are read, and what they say becomes the text of their pages.
 * @throws DocumentRefusal; the signal's reason
 */
export async function chunkWithScans(
  { parser, scanReader }: ScanParts,
  input: DocumentInput,
  options: ParseOptions & { readonly signal: AbortSignal },
): Promise<ChunkedDocument> {
  if (scanReader === null || scanReader === undefined) return parser.chunk(input, options);
  const { pictures = [] } = options;
  const first = await parser.chunk(input, options).catch((error: unknown) => withoutText(error));
  if (!(first instanceof DocumentRefusal) && first.textless === undefined) return first;
  const pages = first instanceof DocumentRefusal ? undefined : first.textless;
  const read = await readPages({ parser, scanReader }, input, { ...options, pages });
  if (read.length > 0) {
    const texts = [...pictures, ...read].sort((a, b) => a.page - b.page);
    return parser.chunk(input, { ...options, pictures: texts });
  }
  if (first instanceof DocumentRefusal) throw refusal('nothing-read');
  return first;
}

function withoutText(error: unknown): DocumentRefusal {
  if (error instanceof DocumentRefusal && error.reason === 'no-text') return error;
  throw error;
}

interface ReadOptions extends ParseOptions {
  readonly signal: AbortSignal;
  /** Undefined for all. */
  readonly pages: readonly number[] | undefined;
}

async function readPages(
  { parser, scanReader }: { readonly parser: ScanParts['parser']; readonly scanReader: ScanReader },
  input: DocumentInput,
  { pages, signal, pagesMax }: ReadOptions,
): Promise<readonly PictureText[]> {
  const texts: PictureText[] = [];
  let next = pages === undefined ? 1 : (pages[0] ?? null);
  const seen = new Set<number>();
  while (next !== null && seen.size < SCANNED_PAGES_MAX) {
    signal.throwIfAborted();
    const batch = await parser.pictures(input, next, { signal, pagesMax, scans: { pages } });
    // Settled, so that nothing of this run is still working when the next one begins.
    const read = await Promise.allSettled(batch.pictures.map(({ bytes }) => scanReader.read(bytes, signal)));
    for (const [at, result] of read.entries()) {
      if (result.status === 'rejected') throw result.reason;
      const { page } = batch.pictures[at] ?? { page: 0 };
      seen.add(page);
      if (result.value !== '') texts.push({ page, text: result.value });
    }
    next = batch.nextPage;
  }
  return texts;
}
