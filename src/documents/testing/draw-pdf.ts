// Draws lines of text into PDF files in the ways of several producers.
import {
  beginText,
  degrees,
  endText,
  PDFArray,
  PDFDocument,
  type PDFFont,
  PDFNumber,
  PDFOperator,
  PDFOperatorNames,
  type PDFPage,
  StandardFonts,
  setFontAndSize,
  setTextMatrix,
  showText,
} from 'pdf-lib';

/** `lines`: as word processors do. `words`: each word by itself, as browsers do. `kerned`: as typesetters do, in arrays. */
export const PRODUCERS = ['lines', 'words', 'kerned'] as const;
export type Producer = (typeof PRODUCERS)[number];

export interface DrawnLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly bold?: boolean;
}

/** The page is turned by so many quarters, and the text so that it still reads to the right. */
export type Turn = 0 | 90 | 180 | 270;

export interface DrawnPage {
  readonly lines: readonly DrawnLine[];
  readonly turn?: Turn;
  /** Horizontal and vertical rules. */
  readonly rules?: readonly (readonly [x: number, y: number, width: number, height: number])[];
}

const WIDTH = 595;
const HEIGHT = 842;

export async function drawPdf(
  pages: readonly DrawnPage[],
  producer: Producer = 'lines',
): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const fonts = {
    plain: await file.embedFont(StandardFonts.TimesRoman),
    bold: await file.embedFont(StandardFonts.TimesRomanBold),
  };
  for (const { lines, turn = 0, rules = [] } of pages) {
    const page = file.addPage(turn % 180 === 0 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH]);
    page.setRotation(degrees(turn));
    for (const [x, y, width, height] of rules) page.drawRectangle({ x, y, width, height });
    for (const line of lines) {
      const font = line.bold === true ? fonts.bold : fonts.plain;
      for (const part of partsOf(line, font, producer)) draw(page, part, { font, turn, producer });
    }
  }
  return file.save();
}

function partsOf(line: DrawnLine, font: PDFFont, producer: Producer): readonly DrawnLine[] {
  if (producer !== 'words') return [line];
  const { text, size = 11 } = line;
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => ({
    ...line,
    text: word,
    x: line.x + font.widthOfTextAtSize(text.slice(0, index), size),
  }));
}

function draw(
  page: PDFPage,
  { text, x, y, size = 11 }: DrawnLine,
  { font, turn, producer }: { readonly font: PDFFont; readonly turn: Turn; readonly producer: Producer },
): void {
  const name = page.node.newFontDictionary(font.name, font.ref);
  const radians = (turn * Math.PI) / 180;
  const [cos, sin] = [Math.round(Math.cos(radians)), Math.round(Math.sin(radians))];
  // Where a point of the upright page is on the turned one.
  const [left, bottom] = [
    [x, y],
    [HEIGHT - y, x],
    [WIDTH - x, HEIGHT - y],
    [y, WIDTH - x],
  ][turn / 90] ?? [x, y];
  page.pushOperators(
    beginText(),
    setFontAndSize(name, size),
    setTextMatrix(cos, sin, -sin, cos, left ?? x, bottom ?? y),
    producer === 'kerned' ? kerned(page, text, font) : showText(font.encodeText(text)),
    endText(),
  );
}

/** Letters in pairs, moved by a little, and words by as much as a blank, without one. */
function kerned(page: PDFPage, text: string, font: PDFFont): PDFOperator {
  const array = PDFArray.withContext(page.doc.context);
  const blank = font.widthOfTextAtSize(' ', 1_000);
  for (const [at, word] of text.split(' ').entries()) {
    if (at > 0) array.push(PDFNumber.of(-blank));
    for (const pair of word.match(/..?/gsu) ?? []) {
      array.push(font.encodeText(pair));
      array.push(PDFNumber.of(4));
    }
  }
  return PDFOperator.of(PDFOperatorNames.ShowTextAdjusted, [array]);
}
