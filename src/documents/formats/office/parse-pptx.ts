// Parses PowerPoint files: a page for each slide, with its title as heading, its text, tables, diagrams and notes.
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { DocumentWriter, type NewBlock } from '../../text/document-writer.ts';
import { ZipArchive } from '../zip-archive.ts';
import { mainPart, relationId, relationsOf } from './ooxml-parts.ts';
import { readXml, type XmlAttributes } from './read-xml.ts';
import { readSlide } from './slide-text.ts';

/**
 * Parses a PowerPoint file. Pictures and charts are skipped; hidden slides are read.
 * @throws DocumentRefusal `corrupt`, `encrypted`, `too-large`, `too-deep`, `too-many-pages` or `empty`
 */
export function parsePptx(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const archive = new ZipArchive(bytes, limits);
  const slides = slidesOf(archive, limits);
  if (slides.length > limits.pagesMax)
    throw refusal('too-many-pages', { pages: slides.length, max: limits.pagesMax });
  const writer = new DocumentWriter(limits);
  for (const [at, part] of slides.entries()) {
    for (const block of slideBlocks(archive, part, { number: at + 1, limits }))
      writer.add({ ...block, page: at + 1 });
  }
  return writer.finish('pptx', slides.length);
}

/** The names of the slides' parts in the order in which they are shown. */
function slidesOf(archive: ZipArchive, limits: ParseLimits): readonly string[] {
  const main = mainPart(archive, { fallback: 'ppt/presentation.xml', kind: 'a PowerPoint file', limits });
  const relations = relationsOf(archive, main, limits);
  const slides: string[] = [];
  const open = (name: string, attributes: XmlAttributes) => {
    const slide = name === 'sldId' ? relations.get(relationId(attributes)) : undefined;
    if (slide !== undefined) slides.push(slide.part);
  };
  readXml(archive.read(main), { open }, limits);
  return slides;
}

/** A slide without a title has its number as heading, so that it does not count to the slide before. */
function slideBlocks(
  archive: ZipArchive,
  part: string,
  { number, limits }: { readonly number: number; readonly limits: ParseLimits },
): readonly NewBlock[] {
  const { title, blocks } = readSlide(archive.read(part), { limits, lists: true });
  const relations = [...relationsOf(archive, part, limits).values()];
  const related = (kind: string): readonly NewBlock[] =>
    relations
      .filter(({ type, part: name }) => type === kind && archive.has(name))
      .flatMap(({ part: name }) => readSlide(archive.read(name), { limits, lists: false }).blocks);
  const notes = related('notesSlide').map(({ text }) => text);
  const body = [...blocks, ...related('diagramData')];
  if (notes.length > 0) body.push({ kind: 'paragraph', text: `Notes: ${notes.join('\n')}` });
  if (title === '' && body.length === 0) return [];
  return [{ kind: 'heading', level: 1, text: title || `Slide ${number}` }, ...body];
}
