// The rules for what owners set on assistants and files, and for state transitions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ANY_CHARACTER } from '../testing/any-character.ts';
import { mayBecome, statesBefore } from './assistant.ts';
import {
  checkAssistantName,
  checkInstructions,
  readAssistantMetadata,
  readRegion,
} from './assistant-rules.ts';
import { checkFileId, fileBytesMax, readFileMetadata, readFileName } from './file-rules.ts';

test('accepts assistant names of 1 to 63 letters of both cases, digits, hyphens and underscores', () => {
  for (const name of ['a', 'A', '0', '-', '_', 'my-helper-2', 'Test_Assistant-Ab3', 'a'.repeat(63)])
    checkAssistantName(name);
  for (const name of ['', 'a b', 'a/b', 'a.b', 'é', 'a\n', 'a'.repeat(64)]) {
    assert.throws(() => checkAssistantName(name), /Invalid assistant name/);
  }
});

test('bounds instructions and metadata in bytes', () => {
  checkInstructions('x'.repeat(16_384));
  assert.throws(() => checkInstructions('é'.repeat(8_193)), /16384/);
  assert.deepEqual(readAssistantMetadata({ nested: { a: null } }), { nested: { a: null } });
  assert.throws(
    () => readAssistantMetadata({ a: 'x'.repeat(16_384) }),
    /Metadata exceeds maximum length of 16384 bytes/,
  );
  assert.throws(() => readAssistantMetadata([]), /object/);
});

test('accepts the regions us and eu, and defaults to the first', () => {
  assert.deepEqual([readRegion(undefined), readRegion('eu')], ['us', 'eu']);
  assert.throws(() => readRegion('mars'), /us, eu/);
});

test('strips folders and control characters from file names', () => {
  assert.equal(readFileName('../../etc/notes.txt'), 'notes.txt');
  assert.equal(readFileName('C:\\files\\a\u0000\r\n\u202eb.pdf'), 'ab.pdf');
  for (const name of ['', '..', 'a/', '\u0007']) assert.throws(() => readFileName(name), /name/);
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 300 }), (sent) => {
      try {
        const name = readFileName(sent);
        assert.ok(name.length >= 1 && name.length <= 255 && !/[/\\\n\r\0]/.test(name) && name.isWellFormed());
      } catch (error) {
        assert.match(String(error), /Fault/);
      }
    }),
    { seed: 43 },
  );
});

test('accepts file ids of 1 to 128 letters, digits, hyphens and underscores', () => {
  for (const id of ['a', 'A_b-9', 'x'.repeat(128)]) checkFileId(id);
  for (const id of ['', 'a.b', 'a/b', 'x'.repeat(129), 'é']) assert.throws(() => checkFileId(id), /File ids/);
});

test('keeps the metadata of files flat, typed and bounded', () => {
  assert.deepEqual(readFileMetadata({ a: 1, b: ['x'] }), { a: 1, b: ['x'] });
  assert.equal(readFileMetadata(undefined), null);
  for (const bad of [{ a: null }, { a: {} }, { $a: 1 }, { a: [1] }, 'text']) {
    assert.throws(() => readFileMetadata(bad), /[Mm]etadata/);
  }
});

test('allows larger PDF files than text files, and half that size with pictures', () => {
  assert.deepEqual(
    [fileBytesMax('text', false), fileBytesMax('pdf', false), fileBytesMax('pdf', true)],
    [10_000_000, 100_000_000, 50_000_000],
  );
});

test('lets nothing follow Terminating, and Terminating follow everything', () => {
  assert.deepEqual(statesBefore('Terminating'), ['Initializing', 'Ready', 'Failed', 'InitializationFailed']);
  assert.equal(mayBecome('Terminating', 'Ready'), false);
  assert.equal(mayBecome('Initializing', 'Ready'), true);
  assert.equal(mayBecome('InitializationFailed', 'Ready'), false);
});
