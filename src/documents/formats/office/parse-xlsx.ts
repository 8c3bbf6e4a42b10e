// Parses Excel files: each sheet is a section, and each of its rows a line that names its columns.
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { ZipArchive } from '../zip-archive.ts';
import { MergedRows } from './merged-rows.ts';
import { forEachRow } from './sheet-rows.ts';
import { SheetTable } from './sheet-table.ts';
import { readWorkbook } from './workbook.ts';

const ROW_TAG = Buffer.from('<row');

/**
 * Parses an Excel file. Formulas count by their stored values. Hidden sheets, charts and comments are skipped.
 * @throws DocumentRefusal `corrupt`, `encrypted`, `too-large`, `too-deep` or `empty`
 */
export function parseXlsx(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const archive = new ZipArchive(bytes, limits);
  const workbook = readWorkbook(archive, limits);
  const writer = new DocumentWriter(limits);
  for (const { name, part } of workbook.sheets) {
    const sheet = archive.read(part);
    const { charactersMax } = limits;
    const sizes = { rows: rowsIn(sheet), characters: sheet.length, charactersMax };
    const table = new SheetTable(writer, sizes, new MergedRows(sheet, limits));
    let isTitled = false;
    forEachRow(sheet, { workbook, limits }, (row) => {
      if (!isTitled) writer.add({ kind: 'heading', level: 1, text: name });
      isTitled = true;
      table.add(row);
    });
    table.finish();
  }
  return writer.finish('xlsx');
}

function rowsIn(sheet: Buffer): number {
  let rows = 0;
  for (let at = sheet.indexOf(ROW_TAG); at >= 0; at = sheet.indexOf(ROW_TAG, at + 1)) rows++;
  return rows;
}
