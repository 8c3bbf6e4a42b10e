// Extracts the pictures from the pages of a PDF file: decoded, shrunk, and with the text that describes them.

import { createHash } from 'node:crypto';
import { getResolvedPDFJS } from 'unpdf';
import { membersOf } from '../../domain/json.ts';
import { linesOfPage, type PdfFile, withPdf } from '../formats/pdf/parse-pdf.ts';
import { partsOf } from '../formats/pdf/pdf-lines.ts';
import type { ParseLimits } from '../limits.ts';
import { cleanText } from '../text/clean-text.ts';
import { encodePng, type Pixels } from './encode-png.ts';
import { findCaption } from './find-caption.ts';
import { nullOnceIdle } from './null-once-idle.ts';
import { type PaintedPicture, type PaintOperators, paintedPictures } from './painted-pictures.ts';
import {
  BATCH_BYTES,
  PAGE_TEXT_CHARACTERS_MAX,
  PICTURE_SIDE_PIXELS_MAX,
  PICTURE_SIDE_PIXELS_MIN,
  PICTURES_A_PAGE_MAX,
  type Picture,
  type PictureBatch,
} from './picture-model.ts';
import { type DecodedPicture, shrinkPixels } from './shrink-pixels.ts';

type PdfPage = Awaited<ReturnType<PdfFile['getPage']>>;

/** A picture that is still missing after this thread has had nothing to do for so long will never be decoded. */
const IDLE_MS_MAX = 5_000;

interface PictureOptions {
  readonly fromPage: number;
  readonly batchBytes?: number;
  /** Pictures of other pages are left out. */
  readonly pages?: readonly number[] | undefined;
  readonly sidePixelsMax?: number;
}

/**
 * Extracts the pictures of the pages from `fromPage` on, until a batch is full. A picture that is too large or cannot
 * be decoded is skipped, since the text of its page can still be used. A repeated picture of a page is returned once.
 * @throws DocumentRefusal as `parsePdf` does, except `no-text`
 */
export function pdfPictures(
  bytes: Uint8Array,
  limits: ParseLimits,
  { fromPage, batchBytes = BATCH_BYTES, ...options }: PictureOptions,
): Promise<PictureBatch> {
  return withPdf(bytes, { ...limits, stopAtErrors: false }, async (file) => {
    const { OPS: ops } = await getResolvedPDFJS();
    const { pages, sidePixelsMax = PICTURE_SIDE_PIXELS_MAX } = options;
    const pictures: Picture[] = [];
    let size = 0;
    let page = fromPage;
    for (; page <= file.numPages && size < batchBytes; page++) {
      if (pages !== undefined && !pages.includes(page)) continue;
      const found = await picturesOfPage(file, page, { ops, sidePixelsMax });
      pictures.push(...found);
      size += found.reduce((sum, picture) => sum + picture.bytes.length, 0);
    }
    return { pictures, nextPage: page <= file.numPages ? page : null };
  });
}

interface DrawingOptions {
  readonly ops: PaintOperators;
  readonly sidePixelsMax: number;
}

async function picturesOfPage(file: PdfFile, number: number, options: DrawingOptions): Promise<Picture[]> {
  const found = await drawingsOf(await file.getPage(number), options);
  if (found.length === 0) return [];
  // Reading the text releases the objects of the page, including its pictures, so it comes second.
  const lines = await linesOfPage(file, number);
  const parts = lines.flatMap(partsOf);
  const pageText = lines.map(({ text }) => text).join('\n');
  return found.map(({ box, width, height, bytes }) => ({
    page: number,
    caption: cleanText(findCaption(parts, box)),
    pageText: cleanText(pageText.slice(0, PAGE_TEXT_CHARACTERS_MAX)),
    width,
    height,
    bytes,
  }));
}

type Drawing = Pick<Picture, 'width' | 'height' | 'bytes'> & Pick<PaintedPicture, 'box'>;

/** Returns each picture once, in the order in which they are painted. */
async function drawingsOf(page: PdfPage, { ops, sidePixelsMax }: DrawingOptions): Promise<Drawing[]> {
  const drawings = new Map<string, Drawing>();
  for (const painted of paintedPictures(await page.getOperatorList(), ops)) {
    if (drawings.size === PICTURES_A_PAGE_MAX) break;
    const pixels = formed(await decoded(page, painted), sidePixelsMax);
    if (pixels === null) continue;
    const { width, height } = pixels;
    const bytes = encodePng(pixels);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (!drawings.has(digest)) drawings.set(digest, { box: painted.box, width, height, bytes });
  }
  page.cleanup();
  return [...drawings.values()];
}

function formed(found: DecodedPicture | null, sidePixelsMax: number): Pixels | null {
  if (found === null || Math.min(found.width, found.height) < PICTURE_SIDE_PIXELS_MIN) return null;
  return shrinkPixels(found, sidePixelsMax);
}

/** Waits for the decoded picture; null when it could not be decoded. */
async function decoded(page: PdfPage, { source }: PaintedPicture): Promise<DecodedPicture | null> {
  if (typeof source !== 'string') return pixelsOf(source);
  const objects = source.startsWith('g_') ? page.commonObjs : page.objs;
  return pixelsOf(await nullOnceIdle((callback) => objects.get(source, callback), IDLE_MS_MAX));
}

function pixelsOf(found: unknown): DecodedPicture | null {
  const { width, height, kind, data } = membersOf(found);
  if (typeof width !== 'number' || typeof height !== 'number' || typeof kind !== 'number') return null;
  return data instanceof Uint8Array || data instanceof Uint8ClampedArray
    ? { width, height, kind, data }
    : null;
}
