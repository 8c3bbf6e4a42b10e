// How the type of a file is told from its content and its name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectType, typeOfName } from './detect-type.ts';
import { refusedFor } from './testing/parsed.ts';

const PDF = Buffer.from('%PDF-1.7\n');
const ZIP = Buffer.from('PK\x03\x04....');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

function refused(bytes: Buffer, name: string, mimeType?: string): Promise<string> {
  return refusedFor(Promise.resolve().then(() => detectType(bytes, name, mimeType)));
}

test('the extension tells types of text, in any case', () => {
  assert.equal(typeOfName('Notes.MD'), 'markdown');
  assert.equal(typeOfName('a.b.htm'), 'html');
  assert.equal(typeOfName('report.exe'), undefined);
  assert.equal(typeOfName('pdf'), undefined);
  assert.equal(detectType(Buffer.from('a,b'), 'a.csv'), 'csv');
});

test('content that is not what the name says is refused', async () => {
  assert.equal(await refused(PDF, 'a.txt'), 'type-mismatch');
  assert.equal(await refused(ZIP, 'a.pdf'), 'type-mismatch');
  assert.equal(await refused(Buffer.from('text'), 'a.docx'), 'corrupt');
});

test('a PDF may begin after other bytes', () => {
  assert.equal(detectType(Buffer.concat([Buffer.from('\n\n junk '), PDF]), 'a.pdf'), 'pdf');
});

test('without an extension the content decides, then what the sender says', async () => {
  assert.equal(detectType(PDF, 'upload'), 'pdf');
  assert.equal(detectType(Buffer.from('x'), 'upload', 'text/markdown; charset=utf-8'), 'markdown');
  assert.equal(await refused(Buffer.from('x'), 'upload'), 'unsupported-type');
  assert.equal(await refused(Buffer.from('x'), 'a.exe', 'text/plain'), 'unsupported-type');
});

test('old and encrypted Office files are told apart', async () => {
  const encrypted = Buffer.concat([COMPOUND, Buffer.from('EncryptedPackage', 'utf16le')]);
  assert.equal(await refused(encrypted, 'a.docx'), 'encrypted');
  assert.equal(await refused(COMPOUND, 'a.docx'), 'unsupported-type');
});

test('an empty file is refused as empty', async () => {
  assert.equal(await refused(Buffer.alloc(0), 'a.txt'), 'empty');
});
