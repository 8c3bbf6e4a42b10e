// Makes PDF files for tests: valid ones with text on known pages, and malformed ones.
import { deflateSync } from 'node:zlib';
import {
  PDFDocument,
  type PDFFont,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFRawStream,
  StandardFonts,
} from 'pdf-lib';

export interface PdfPageText {
  readonly heading?: string;
  /** Wrapped at the margin, as a word processor does. */
  readonly paragraphs: readonly string[];
}

const MARGIN = 60;
const BODY_SIZE = 11;
const HEADING_SIZE = 18;
const LEADING = 1.25;
const PARAGRAPH_GAP = 12;

export async function makePdf(pages: readonly PdfPageText[]): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.TimesRoman);
  for (const { heading, paragraphs } of pages) {
    const page = file.addPage([595, 842]);
    let y = 780;
    const write = (line: string, size: number): void => {
      page.drawText(line, { x: MARGIN, y, size, font });
      y -= size * LEADING;
    };
    if (heading !== undefined) write(heading, HEADING_SIZE);
    for (const paragraph of paragraphs) {
      y -= PARAGRAPH_GAP;
      for (const line of wrapped(paragraph, font, 595 - 2 * MARGIN)) write(line, BODY_SIZE);
    }
  }
  return file.save();
}

function wrapped(text: string, font: PDFFont, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (font.widthOfTextAtSize(longer, BODY_SIZE) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

async function simplePdf(pages: number): Promise<PDFDocument> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.TimesRoman);
  for (let number = 1; number <= pages; number++) file.addPage().drawText(`page ${number}`, { font });
  return file;
}

/** A file whose page tree claims more pages than exist. */
export async function pdfClaiming(claimed: number, pages: number): Promise<Uint8Array> {
  const file = await simplePdf(pages);
  await file.flush();
  file.catalog.Pages().set(PDFName.of('Count'), PDFNumber.of(claimed));
  return file.save({ useObjectStreams: false });
}

/** A file that lists one page many times. */
export async function pdfRepeating(times: number): Promise<Uint8Array> {
  const file = await simplePdf(1);
  await file.flush();
  const tree = file.catalog.Pages();
  const kids = tree.Kids();
  for (let more = 1; more < times; more++) kids.push(kids.get(0));
  tree.set(PDFName.of('Count'), PDFNumber.of(times));
  return file.save({ useObjectStreams: false });
}

/** A file whose password nobody knows (standard security handler, revision 2). */
export async function encryptedPdf(): Promise<Uint8Array> {
  const file = await simplePdf(1);
  const { context } = file;
  const key = (byte: string): PDFHexString => PDFHexString.of(byte.repeat(32));
  const security = { Filter: 'Standard', V: 1, R: 2, O: key('41'), U: key('42'), P: -44 };
  context.trailerInfo.Encrypt = context.register(context.obj(security));
  context.trailerInfo.ID = context.obj([PDFHexString.of('00'.repeat(16)), PDFHexString.of('00'.repeat(16))]);
  return file.save({ useObjectStreams: false });
}

/** A page whose content is a long run of spaces, compressed twice: thousands of bytes for each one stored. */
export async function pdfBomb(bytes: number): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const packed = deflateSync(deflateSync(Buffer.alloc(bytes, ' '), { level: 1 }));
  const stream = PDFRawStream.of(
    file.context.obj({ Filter: ['FlateDecode', 'FlateDecode'], Length: packed.length }),
    packed,
  );
  file.addPage().node.set(PDFName.of('Contents'), file.context.register(stream));
  return file.save();
}

/** Pages without text, like those of a scan whose pictures are skipped. */
export async function pdfWithoutText(pages: number): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  for (let number = 0; number < pages; number++) file.addPage().drawRectangle({ width: 100, height: 100 });
  return file.save();
}
