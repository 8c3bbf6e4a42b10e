// Tests how bytes are decoded, and which characters are removed.
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

test('decodes by the byte order mark, and removes it', () => {
  assert.equal(decodeText(Buffer.from(`\uFEFF${TEXT}`)), TEXT);
  assert.equal(decodeText(Buffer.from(`\uFEFF${TEXT}`, 'utf16le')), TEXT);
  assert.equal(decodeText(utf16be(`\uFEFF${TEXT}`)), TEXT);
});

test('detects UTF-8, and UTF-16 of mostly ASCII, without a byte order mark', () => {
  assert.equal(decodeText(Buffer.from(TEXT)), TEXT);
  assert.equal(decodeText(Buffer.from('plain words', 'utf16le')), 'plain words');
  assert.equal(decodeText(utf16be('plain words')), 'plain words');
});

test('decodes as Latin-1 what is not valid UTF-8', () => {
  assert.equal(decodeText(Buffer.from('Zo\xeb \x80 5', 'latin1')), 'Zoë € 5');
});

test('refuses binary data, and marks that contradict the bytes', async () => {
  const refused = (bytes: Buffer): Promise<string> =>
    refusedFor(Promise.resolve().then(() => decodeText(bytes)));
  assert.equal(await refused(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d, 0x49])), 'corrupt');
  assert.equal(await refused(Buffer.from([0xff, 1, 2, 3, 4, 5, 6, 7])), 'corrupt');
  assert.equal(await refused(Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xff])), 'corrupt');
});

test('restores any text from UTF-8 and from UTF-16 of both byte orders with their marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      assert.equal(decodeText(Buffer.from(`\uFEFF${text}`)), text);
      assert.equal(decodeText(Buffer.from(`\uFEFF${text}`, 'utf16le')), text);
      assert.equal(decodeText(utf16be(`\uFEFF${text}`)), text);
    }),
    { seed: 11 },
  );
});

test('removes control characters, directional overrides and invisible tags', () => {
  const tagged = `a${String.fromCodePoint(0xe0041, 0xe0042)}b`;
  assert.equal(cleanText('a\u0000b\u001b[31m\tc\u202Ed\uFEFFe\u00ADf'), 'ab[31m\tcdef');
  assert.equal(cleanText(tagged), 'ab');
  assert.equal(cleanText('a\r\nb\rc\u2028d'), 'a\nb\nc\nd');
  assert.equal(cleanText('x\uD800y'), 'x\uFFFDy');
});

test('keeps emoji, flags of regions and directional marks, and composes letters with their accents', () => {
  const scotland = '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}';
  assert.equal(cleanText(`👩‍🚀 ${scotland} \u200F`), `👩‍🚀 ${scotland} \u200F`);
  assert.equal(cleanText('e\u0301'), 'é');
  assert.equal(cleanText('of\uFB01ce a\uFB00air'), 'office affair');
});

test('leaves clean text unchanged', () => {
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
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may remain
      assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(clean));
    }),
    { seed: 3 },
  );
});

test('joins words at line ends, but not names or ranges', () => {
  assert.equal(joinDividedWords('south-\nern'), 'southern');
  assert.equal(joinDividedWords('Jean-\nPaul, 10-\n20, -\nx'), 'Jean-\nPaul, 10-\n20, -\nx');
});
