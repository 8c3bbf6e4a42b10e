// Tests how the type of a file is detected from its content and its name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectType, typeOfName } from './detect-type.ts';
import { makeZip } from './testing/make-zip.ts';
import { refusedFor } from './testing/parsed.ts';

const PDF = Buffer.from('%PDF-1.7\n');
const ZIP = Buffer.from('PK\x03\x04....');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

function refused(bytes: Buffer, name: string, mimeType?: string): Promise<string> {
  return refusedFor(Promise.resolve().then(() => detectType(bytes, name, mimeType)));
}

test('detects text types by their extension, in upper or lower case', () => {
  assert.equal(typeOfName('Notes.MD'), 'markdown');
  assert.equal(typeOfName('a.b.htm'), 'html');
  assert.equal(typeOfName('report.exe'), undefined);
  assert.equal(typeOfName('pdf'), undefined);
  assert.equal(detectType(Buffer.from('a,b'), 'a.csv'), 'csv');
});

test('refuses content that contradicts the extension', async () => {
  assert.equal(await refused(PDF, 'a.txt'), 'type-mismatch');
  assert.equal(await refused(ZIP, 'a.pdf'), 'type-mismatch');
  assert.equal(await refused(Buffer.from('text'), 'a.docx'), 'corrupt');
});

test('accepts a PDF whose signature follows other bytes', () => {
  assert.equal(detectType(Buffer.concat([Buffer.from('\n\n junk '), PDF]), 'a.pdf'), 'pdf');
});

test('goes by content, then by MIME type, when the name has no extension', async () => {
  assert.equal(detectType(PDF, 'upload'), 'pdf');
  assert.equal(detectType(Buffer.from('x'), 'upload', 'text/markdown; charset=utf-8'), 'markdown');
  const sheet = makeZip([{ name: 'xl/workbook.xml', data: Buffer.from('x') }]);
  assert.equal(detectType(sheet, 'upload'), 'xlsx');
  assert.equal(detectType(Buffer.from('x'), 'upload', 'message/rfc822'), 'eml');
  assert.equal(await refused(Buffer.from('x'), 'upload'), 'unsupported-type');
  assert.equal(await refused(Buffer.from('x'), 'a.exe', 'text/plain'), 'unsupported-type');
});

test('distinguishes old from encrypted Office files', async () => {
  const encrypted = Buffer.concat([COMPOUND, Buffer.from('EncryptedPackage', 'utf16le')]);
  assert.equal(await refused(encrypted, 'a.docx'), 'encrypted');
  assert.equal(await refused(COMPOUND, 'a.docx'), 'unsupported-type');
});

test('refuses an empty file as empty', async () => {
  assert.equal(await refused(Buffer.alloc(0), 'a.txt'), 'empty');
});
