// Makes PowerPoint and Excel files for tests, part by part.
import { makeZip, type ZipPart } from './make-zip.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const MAIN = {
  p: 'http://schemas.openxmlformats.org/presentationml/2006/main',
  a: 'http://schemas.openxmlformats.org/drawingml/2006/main',
  s: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
} as const;
const DRAWING_SPACES = `xmlns:p="${MAIN.p}" xmlns:a="${MAIN.a}" xmlns:r="${OFFICE}"`;

export interface TestSlide {
  /** Shapes, such as `shape('Title', 'title')`. */
  readonly shapes: string;
  readonly notes?: string;
}

export function xmlPart(name: string, xml: string): ZipPart {
  return { name, data: Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${xml}`) };
}

/** @param relations type and target by id */
export function relationsPart(name: string, relations: Readonly<Record<string, readonly [string, string]>>) {
  const elements = Object.entries(relations).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return xmlPart(name, `<Relationships xmlns="${PACKAGE}">${elements.join('')}</Relationships>`);
}

/** A shape with paragraphs; two spaces before a paragraph put it one level deeper. */
export function shape(text: string, placeholder?: string): string {
  const paragraphs = text.split('\n').map((line) => {
    const level = (line.length - line.trimStart().length) / 2;
    return `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${line.trimStart()}</a:t></a:r></a:p>`;
  });
  const kind = placeholder === undefined ? '' : `<p:ph type="${placeholder}"/>`;
  return `<p:sp><p:nvSpPr><p:nvPr>${kind}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`;
}

export function slideTable(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const lines = rows.map((row) => `<a:tr>${row.map(cell).join('')}</a:tr>`);
  return `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${lines.join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
}

/** The slides are stored in the reverse order of that in which they are shown. */
export function makePptx(slides: readonly TestSlide[]): Buffer {
  const numbered = slides.map((slide, at) => ({ ...slide, number: slides.length - at }));
  const ids = numbered.map(({ number }) => `<p:sldId id="${255 + number}" r:id="rId${number}"/>`);
  const parts = numbered.flatMap(({ shapes, notes, number }) => [
    xmlPart(
      `ppt/slides/slide${number}.xml`,
      `<p:sld ${DRAWING_SPACES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    ),
    ...(notes === undefined ? [] : notesParts(number, notes)),
  ]);
  return makeZip([
    relationsPart('_rels/.rels', { rId1: ['officeDocument', 'ppt/presentation.xml'] }),
    xmlPart(
      'ppt/presentation.xml',
      `<p:presentation ${DRAWING_SPACES}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    ),
    relationsPart(
      'ppt/_rels/presentation.xml.rels',
      Object.fromEntries(
        numbered.map(({ number }) => [`rId${number}`, ['slide', `slides/slide${number}.xml`] as const]),
      ),
    ),
    ...parts,
  ]);
}

function notesParts(number: number, notes: string): ZipPart[] {
  return [
    relationsPart(`ppt/slides/_rels/slide${number}.xml.rels`, {
      rId1: ['notesSlide', `../notesSlides/notesSlide${number}.xml`],
    }),
    xmlPart(
      `ppt/notesSlides/notesSlide${number}.xml`,
      `<p:notes ${DRAWING_SPACES}>${shape(notes, 'body')}${shape(String(number), 'sldNum')}</p:notes>`,
    ),
  ];
}

export interface TestSheet {
  readonly name: string;
  /** The content of `sheetData`. */
  readonly rows: string;
  /** Ranges of merged cells, such as `A2:A4`. */
  readonly merged?: readonly string[];
  readonly state?: string;
}

/** @param shared the content of the shared texts and of the styles */
export function makeXlsx(
  sheets: readonly TestSheet[],
  {
    texts = '',
    styles = '',
    properties = '',
  }: Partial<Record<'texts' | 'styles' | 'properties', string>> = {},
): Buffer {
  const entries = sheets.map(
    ({ name, state = 'visible' }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
  );
  const relations = sheets.map(
    (_, at) => [`rId${at + 1}`, ['worksheet', `/xl/worksheets/sheet${at + 1}.xml`]] as const,
  );
  return makeZip([
    relationsPart('_rels/.rels', { rId1: ['officeDocument', 'xl/workbook.xml'] }),
    xmlPart(
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN.s}" xmlns:r="${OFFICE}">${properties}<sheets>${entries.join('')}</sheets></workbook>`,
    ),
    relationsPart('xl/_rels/workbook.xml.rels', {
      ...Object.fromEntries(relations),
      texts: ['sharedStrings', 'sharedStrings.xml'],
      styles: ['styles', 'styles.xml'],
    }),
    xmlPart('xl/sharedStrings.xml', `<sst xmlns="${MAIN.s}">${texts}</sst>`),
    xmlPart('xl/styles.xml', `<styleSheet xmlns="${MAIN.s}">${styles}</styleSheet>`),
    ...sheets.map(({ rows, merged = [] }, at) => {
      const ranges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('');
      return xmlPart(
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet xmlns="${MAIN.s}"><sheetData>${rows}</sheetData><mergeCells>${ranges}</mergeCells></worksheet>`,
      );
    }),
  ]);
}

/** A row of texts, each stored in its cell. */
export function sheetRow(...texts: readonly string[]): string {
  return `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
}
