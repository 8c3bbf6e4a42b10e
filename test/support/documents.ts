// Files of every type that assistants read, each with one fact in it.
import { Document, Packer, Paragraph } from 'docx';
import { PDFDocument, PDFName, PDFNumber, StandardFonts } from 'pdf-lib';

/** A page for each text. */
export async function pdfOf(...pages: readonly string[]): Promise<Buffer> {
  const file = await PDFDocument.create();
  const font = await file.embedFont(StandardFonts.Helvetica);
  for (const text of pages) file.addPage().drawText(text, { x: 50, y: 700, font, size: 12 });
  return Buffer.from(await file.save());
}

/** One empty page, and a claim to have so many. */
export async function pdfClaiming(pages: number): Promise<Buffer> {
  const file = await PDFDocument.create();
  file.addPage();
  await file.flush();
  file.catalog.Pages().set(PDFName.of('Count'), PDFNumber.of(pages));
  return Buffer.from(await file.save());
}

export async function docxOf(...paragraphs: readonly string[]): Promise<Buffer> {
  const children = paragraphs.map((text) => new Paragraph(text));
  return Packer.toBuffer(new Document({ sections: [{ children }] }));
}
