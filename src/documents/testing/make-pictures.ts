// Makes pictures, and PDF files that show them, and decodes PNG files.
import { deflateSync, inflateSync } from 'node:zlib';
import { PDFDocument, type PDFPage, PDFRawStream, StandardFonts } from 'pdf-lib';
import { encodePng, type Pixels } from '../pictures/encode-png.ts';

/** A color gradient from corner to corner, so that any change in size or position is noticed. */
export function gradient(width: number, height: number, shade = 0): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    data.set([(x * 255) / width, (y * 255) / height, shade], at * 3);
  }
  return { width, height, channels: 3, data };
}

export interface PicturePage {
  readonly pictures?: readonly (Pixels & { readonly y: number })[];
  readonly lines?: readonly { readonly text: string; readonly y: number; readonly x?: number }[];
}

/** A PDF with pictures of 200 by 150 points at x = 100, and text of 11 points. */
export async function pdfWithPictures(pages: readonly PicturePage[]): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.TimesRoman);
  for (const { pictures = [], lines = [] } of pages) {
    const page: PDFPage = file.addPage([595, 842]);
    for (const { y, ...pixels } of pictures) {
      const image = await file.embedPng(encodePng(pixels));
      page.drawImage(image, { x: 100, y, width: 200, height: 150 });
    }
    for (const { text, x = 100, y } of lines) page.drawText(text, { x, y, size: 11, font });
  }
  return file.save();
}

/** One page of uniform pictures that decompress to a thousand times their stored size. */
export async function pdfOfHugePictures(count: number, side: number): Promise<Uint8Array> {
  const file = await PDFDocument.create();
  const { context } = file;
  const page = file.addPage();
  const packed = deflateSync(Buffer.alloc(side * side * 3, 7), { level: 1 });
  const details = { Type: 'XObject', Subtype: 'Image', Filter: 'FlateDecode', ColorSpace: 'DeviceRGB' };
  const drawn = Array.from({ length: count }, (_, at) => {
    const dictionary = context.obj({ ...details, Width: side, Height: side - at, BitsPerComponent: 8 });
    const name = page.node.newXObject('Huge', context.register(PDFRawStream.of(dictionary, packed)));
    return `q 200 0 0 200 50 50 cm ${name} Do Q`;
  });
  page.node.addContentStream(context.register(context.flateStream(drawn.join('\n'))));
  return file.save();
}

/** Decodes the output of `encodePng`, following the specification. */
export function decodePng(bytes: Uint8Array): Pixels {
  const file = Buffer.from(bytes);
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const channels = file[25] === 0 ? 1 : 3;
  const packed = file.subarray(41, 41 + file.readUInt32BE(33));
  const rows = inflateSync(packed);
  const rowBytes = width * channels;
  const data = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; x++) {
      const left = x < channels ? 0 : (data[y * rowBytes + x - channels] ?? 0);
      const above = y === 0 ? 0 : (data[(y - 1) * rowBytes + x] ?? 0);
      const added = filter === 1 ? left : filter === 2 ? above : 0;
      data[y * rowBytes + x] = (rows[y * (rowBytes + 1) + 1 + x] ?? 0) + added;
    }
  }
  return { width, height, channels, data };
}
