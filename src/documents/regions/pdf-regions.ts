// The regions of PDF pages that passages cover, from the positions of the text that the pages draw.
import type { PageLayout, PageRegion, PlacedPassage, Rectangle } from '../../domain/assistants/passages.ts';
import { type PdfFile, withPdf } from '../formats/pdf/parse-pdf.ts';
import type { PdfTextItem } from '../formats/pdf/pdf-direction.ts';
import type { ParseLimits } from '../limits.ts';
import { findLetters, type LetterSpan, lettersOf } from './letters.ts';

export interface RegionBatch {
  /** For each passage, what it covers, in reading order. */
  readonly regions: readonly (readonly PageRegion[])[];
  /** The pages of all passages, in order. */
  readonly layouts: readonly PageLayout[];
}

/** Pieces of one layout: a page of a telephone book has fewer. */
const TEXTS_A_PAGE_MAX = 5_000;
/** What fonts reach above and below the baseline, in font sizes, where the file does not say. */
const ASCENT = 0.8;
const DESCENT = -0.2;
/** Pieces of a line this close, in heights, are one region. */
const GAP_MAX = 1;

/** From a page's own coordinates to points from the upper left corner, as [a, b, c, d, e, f]. */
type Transform = readonly number[];

interface Piece {
  readonly page: number;
  readonly text: string;
  /** The rectangle around characters `from` to `to`, the end excluded. */
  readonly around: (from: number, to: number) => Rectangle;
}

interface DrawnPage extends Omit<PageLayout, 'texts'> {
  readonly pieces: readonly Piece[];
}

/** @throws DocumentRefusal as `parsePdf` does, except `no-text` */
export function pdfRegions(
  bytes: Uint8Array,
  limits: ParseLimits,
  passages: readonly PlacedPassage[],
): Promise<RegionBatch> {
  return withPdf(bytes, { ...limits, stopAtErrors: false }, async (file) => {
    const numbers = [...new Set(passages.flatMap(({ pages }) => pages))].sort((a, b) => a - b);
    const drawn = new Map<number, DrawnPage>();
    for (const number of numbers.filter((each) => each >= 1 && each <= file.numPages)) {
      drawn.set(number, await drawnPage(file, number));
    }
    return {
      regions: passages.map((passage) => regionsOf(passage, drawn)),
      layouts: [...drawn.values()].map(layoutOf),
    };
  });
}

async function drawnPage(file: PdfFile, number: number): Promise<DrawnPage> {
  const page = await file.getPage(number);
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const { items, styles } = await page.getTextContent({ includeMarkedContent: false });
  page.cleanup();
  const pieces = items
    .filter((item) => 'str' in item)
    .filter(({ str }) => str.trim() !== '')
    .map((item) => pieceOf(item, { page: number, transform, font: styles[item.fontName] }));
  return { page: number, width: rounded(width), height: rounded(height), pieces };
}

interface Drawing {
  readonly page: number;
  readonly transform: Transform;
  readonly font: { readonly ascent?: number; readonly descent?: number } | undefined;
}

/** Characters are taken to be equally wide. */
function pieceOf(item: PdfTextItem, { page, transform, font }: Drawing): Piece {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
  const along = Math.hypot(a, b) || 1;
  const [ascent, descent] = [font?.ascent || ASCENT, font?.descent || DESCENT];
  const corner = (position: number, rise: number) => {
    const length = (item.width * position) / item.str.length;
    return moved(transform, x + (a / along) * length + c * rise, y + (b / along) * length + d * rise);
  };
  const around = (from: number, to: number): Rectangle =>
    boxOf([corner(from, descent), corner(from, ascent), corner(to, descent), corner(to, ascent)]);
  return { page, text: item.str, around };
}

function moved([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: Transform, x: number, y: number) {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

function boxOf(points: readonly { readonly x: number; readonly y: number }[]): Rectangle {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

function regionsOf(
  { text, before, pages }: PlacedPassage,
  drawn: ReadonlyMap<number, DrawnPage>,
): readonly PageRegion[] {
  const pieces = pages.flatMap((page) => drawn.get(page)?.pieces ?? []);
  const read = pieces.map((piece) => ({ piece, letters: lettersOf(piece.text) }));
  const whole = read.map(({ letters }) => letters.text).join('');
  const spans = findLetters(lettersOf(text).text, whole, lettersOf(before).text);
  const regions: PageRegion[] = [];
  let start = 0;
  const starts = read.map(({ letters }) => {
    const own = start;
    start += letters.text.length;
    return own;
  });
  for (const span of spans) {
    for (const [at, { piece, letters }] of read.entries()) {
      const covered = charactersIn(letters.places, starts[at] ?? 0, span);
      if (covered === null) continue;
      const whole = covered.to === undefined ? piece.text.length : covered.to;
      regions.push({ page: piece.page, ...piece.around(covered.from, whole) });
    }
  }
  return joinedOnLines(regions).map(roundedRegion);
}

/** The characters of a piece that a span covers; `to` is undefined at the end of the piece. */
function charactersIn(
  places: readonly number[],
  start: number,
  span: LetterSpan,
): { readonly from: number; readonly to: number | undefined } | null {
  const first = Math.max(0, span.start - start);
  const end = Math.min(places.length, span.end - start);
  if (first >= end) return null;
  return { from: first === 0 ? 0 : (places[first] ?? 0), to: places[end] };
}

/** Joins neighbors of one line, in order. */
function joinedOnLines(regions: readonly PageRegion[]): readonly PageRegion[] {
  const joined: PageRegion[] = [];
  for (const region of regions) {
    const before = joined.at(-1);
    if (before !== undefined && areNeighbors(before, region))
      joined[joined.length - 1] = union(before, region);
    else joined.push(region);
  }
  return joined;
}

function areNeighbors(a: PageRegion, b: PageRegion): boolean {
  const height = Math.min(a.height, b.height);
  const overlap = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const gap = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width);
  return a.page === b.page && overlap > height / 2 && gap < GAP_MAX * height;
}

function union(a: PageRegion, b: PageRegion): PageRegion {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const right = Math.max(a.x + a.width, b.x + b.width);
  const bottom = Math.max(a.y + a.height, b.y + b.height);
  return { page: a.page, x, y, width: right - x, height: bottom - y };
}

function layoutOf({ pieces, ...page }: DrawnPage): PageLayout {
  const texts = pieces
    .map(({ text, around }) => ({ text, ...roundedRectangle(around(0, text.length)) }))
    .filter(({ text, width, height }) => width >= height || text.length <= 2)
    .slice(0, TEXTS_A_PAGE_MAX);
  return { ...page, texts };
}

function roundedRegion({ page, ...rectangle }: PageRegion): PageRegion {
  return { page, ...roundedRectangle(rectangle) };
}

function roundedRectangle({ x, y, width, height }: Rectangle): Rectangle {
  return { x: rounded(x), y: rounded(y), width: rounded(width), height: rounded(height) };
}

/** To hundredths of a point. */
function rounded(points: number): number {
  return Math.round(points * 100) / 100;
}
