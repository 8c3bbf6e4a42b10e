// How bytes become text, and what is taken out of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { refusedFor } from '../testing/parsed.ts';
import { cleanText, joinDividedWords } from './clean-text.ts';
import { decodeText } from './decode-text.ts';

const TEXT = 'Zoë: 5 €, 東京, 👩‍🚀, e\u0301.';

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

test('byte order marks name the encoding and vanish', () => {
  assert.equal(decodeText(Buffer.from(`\uFEFF${TEXT}`)), TEXT);
  assert.equal(decodeText(Buffer.from(`\uFEFF${TEXT}`, 'utf16le')), TEXT);
  assert.equal(decodeText(utf16be(`\uFEFF${TEXT}`)), TEXT);
});

test('UTF-8 needs no mark, and UTF-16 of mostly ASCII neither', () => {
  assert.equal(decodeText(Buffer.from(TEXT)), TEXT);
  assert.equal(decodeText(Buffer.from('plain words', 'utf16le')), 'plain words');
  assert.equal(decodeText(utf16be('plain words')), 'plain words');
});

test('what is not UTF-8 is read as Latin-1', () => {
  assert.equal(decodeText(Buffer.from('Zo\xeb \x80 5', 'latin1')), 'Zoë € 5');
});

test('binary data and broken marks are refused', async () => {
  const refused = (bytes: Buffer): Promise<string> =>
    refusedFor(Promise.resolve().then(() => decodeText(bytes)));
  assert.equal(await refused(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d, 0x49])), 'corrupt');
  assert.equal(await refused(Buffer.from([0xff, 1, 2, 3, 4, 5, 6, 7])), 'corrupt');
  assert.equal(await refused(Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xff])), 'corrupt');
});

test('any text survives UTF-8 and both UTF-16 with their marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      assert.equal(decodeText(Buffer.from(`\uFEFF${text}`)), text);
      assert.equal(decodeText(Buffer.from(`\uFEFF${text}`, 'utf16le')), text);
      assert.equal(decodeText(utf16be(`\uFEFF${text}`)), text);
    }),
    { seed: 11 },
  );
});

test('control characters, overrides of direction and invisible tags are taken out', () => {
  const tagged = `a${String.fromCodePoint(0xe0041, 0xe0042)}b`;
  assert.equal(cleanText('a\u0000b\u001b[31m\tc\u202Ed\uFEFFe\u00ADf'), 'ab[31m\tcdef');
  assert.equal(cleanText(tagged), 'ab');
  assert.equal(cleanText('a\r\nb\rc\u2028d'), 'a\nb\nc\nd');
  assert.equal(cleanText('x\uD800y'), 'x\uFFFDy');
});

test('emoji, flags of regions and marks of direction stay, letters with marks become one', () => {
  const scotland = '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}';
  assert.equal(cleanText(`👩‍🚀 ${scotland} \u200F`), `👩‍🚀 ${scotland} \u200F`);
  assert.equal(cleanText('e\u0301'), 'é');
  assert.equal(cleanText('of\uFB01ce a\uFB00air'), 'office affair');
});

test('clean text is clean: cleaning twice changes nothing', () => {
  const unit = fc.constantFrom(
    ...'aé\u0301\u0000\u001f\r\n\t\u0085\u202e\u00ad👍',
    '\uD800',
    '\uDC00',
    '\u{E0041}',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const clean = cleanText(text);
      assert.equal(cleanText(clean), clean);
      assert.ok(clean.isWellFormed());
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
      assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(clean));
    }),
    { seed: 3 },
  );
});

test('only words are joined at line ends, not names or ranges', () => {
  assert.equal(joinDividedWords('south-\nern'), 'southern');
  assert.equal(joinDividedWords('Jean-\nPaul, 10-\n20, -\nx'), 'Jean-\nPaul, 10-\n20, -\nx');
});
