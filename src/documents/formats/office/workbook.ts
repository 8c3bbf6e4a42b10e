// Reads what the sheets of a workbook share: their names, texts and formats (ECMA-376, SpreadsheetML).
import type { ZipArchive } from '../zip-archive.ts';
import { type CellFormat, cellFormat } from './cell-formats.ts';
import { mainPart, relationId, relationsOf } from './ooxml-parts.ts';
import { readXml, type XmlAttributes, type XmlLimits } from './read-xml.ts';

export interface Workbook {
  /** The sheets that are shown, in order. */
  readonly sheets: readonly { readonly name: string; readonly part: string }[];
  readonly texts: readonly string[];
  /** By the style of a cell. */
  readonly formats: readonly CellFormat[];
  readonly epoch1904: boolean;
}

/** @throws DocumentRefusal `corrupt`, `too-large` or `too-deep` */
export function readWorkbook(archive: ZipArchive, limits: XmlLimits): Workbook {
  const main = mainPart(archive, { fallback: 'xl/workbook.xml', kind: 'an Excel file', limits });
  const relations = relationsOf(archive, main, limits);
  const partOf = (kind: string) =>
    [...relations.values()].find(({ type, part }) => type === kind && archive.has(part))?.part;
  const sheets: { name: string; part: string }[] = [];
  let epoch1904 = false;
  const open = (element: string, attributes: XmlAttributes) => {
    if (element === 'workbookPr') epoch1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '');
    const relation = element === 'sheet' ? relations.get(relationId(attributes)) : undefined;
    // Charts have sheets of their own, without cells.
    if (relation?.type !== 'worksheet' || (attributes.state ?? 'visible') !== 'visible') return;
    sheets.push({ name: attributes.name ?? '', part: relation.part });
  };
  readXml(archive.read(main), { open }, limits);
  const texts = partOf('sharedStrings');
  const styles = partOf('styles');
  return {
    sheets,
    epoch1904,
    texts: texts === undefined ? [] : readTexts(archive.read(texts), limits),
    formats: styles === undefined ? [] : readFormats(archive.read(styles), limits),
  };
}

function readTexts(part: Uint8Array, limits: XmlLimits): readonly string[] {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  /** Within a reading aid, which repeats the text in another script. */
  let isAid = false;
  const visitor = {
    open: (name: string) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') isAid = true;
      else if (name === 't') isText = !isAid;
    },
    text: (more: string) => {
      if (isText) text += more;
    },
    close: (name: string) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') isAid = false;
      else if (name === 'si') texts.push(text);
    },
  };
  readXml(part, visitor, limits);
  return texts;
}

function readFormats(part: Uint8Array, limits: XmlLimits): readonly CellFormat[] {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let areOfCells = false;
  const open = (name: string, { numFmtId, formatCode }: XmlAttributes) => {
    if (name === 'cellXfs') areOfCells = true;
    else if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '');
    else if (name === 'xf' && areOfCells)
      formats.push(cellFormat(Number(numFmtId), codes.get(Number(numFmtId))));
  };
  const close = (name: string) => {
    if (name === 'cellXfs') areOfCells = false;
  };
  readXml(part, { open, close }, limits);
  return formats;
}
