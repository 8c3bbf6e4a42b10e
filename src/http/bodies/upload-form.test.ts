// Guarantees of reading forms: the same result for any chunking, an end in every case, and no acceptance of an
// incomplete form.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../domain/faults.ts';
import { openUploadForm } from './upload-form.ts';

const TYPE = 'multipart/form-data; boundary=x-boundary';
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n';
const METADATA = 'Content-Disposition: form-data; name="metadata"\r\n';

interface Part {
  readonly head: string;
  readonly content: string | Buffer;
}

function formOf(...parts: readonly Part[]): Buffer {
  const all = parts.flatMap(({ head, content }) => [`--x-boundary\r\n${head}\r\n`, content, '\r\n']);
  return Buffer.concat([...all, '--x-boundary--\r\n'].map((each) => Buffer.from(each as string)));
}

function* piecesOf(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [at, place] of places.slice(0, -1).entries()) yield bytes.subarray(place, places[at + 1]);
}

function requestOf(pieces: Iterable<Buffer>, type: string | null = TYPE): IncomingMessage {
  const headers = type === null ? {} : { 'content-type': type };
  return Object.assign(Readable.from(pieces), { headers, aborted: false }) as unknown as IncomingMessage;
}

const admit = async () => undefined;

async function read(request: IncomingMessage, readmitted = admit) {
  const form = await openUploadForm(request, readmitted);
  try {
    const content = Buffer.concat(await Array.fromAsync(form.content));
    return { name: form.fileName, content, metadata: form.metadata() };
  } finally {
    form.close();
  }
}

async function refuses(request: IncomingMessage, message: RegExp, status = 400): Promise<void> {
  await assert.rejects(read(request), (error: unknown) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.status, status);
    assert.match(error.message, message);
    return true;
  });
}

describe('a form', () => {
  test('reads the same in any chunking, with the metadata before or after the file', async () => {
    const content = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    // The content of a file may look much like the boundary that ends it.
    const tricky = fc.constantFrom(
      '\r\n--x-boundar',
      '\r\n--',
      '--x-boundary',
      '\r\n\r\n',
      '\r\n--x-boundar\r\n',
    );
    const file = fc
      .tuple(content, tricky, content)
      .map(([a, b, c]) => Buffer.concat([Buffer.from('f'), a, Buffer.from(b), c]));
    const cuts = fc.array(fc.nat(900), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(file, cuts, fc.boolean(), async (bytes, places, isBefore) => {
        const metadata = { head: METADATA, content: '{"a":"ü"}' };
        const part = { head: `${FILE}Content-Type: text/plain\r\n`, content: bytes };
        const form = isBefore ? formOf(metadata, part) : formOf(part, metadata);
        const found = await read(requestOf(piecesOf(form, places)));
        assert.deepEqual([found.name, found.metadata], ['a.txt', '{"a":"ü"}']);
        assert.deepEqual(found.content, bytes);
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  test('ends whatever is sent, and is never accepted with a piece missing', async () => {
    const whole = formOf({ head: FILE, content: 'text' }, { head: METADATA, content: '{}' });
    const garbage = fc.array(
      fc.constantFrom('--x-boundary', '--', '\r\n', FILE, METADATA, ': ', '\r', '\n', 'text', '\0'),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(garbage, fc.array(fc.nat(900), { maxLength: 5 }), async (words, cuts) => {
        const bytes = Buffer.from(`--x-boundary\r\n${words.join('')}`);
        await read(requestOf(piecesOf(bytes, cuts))).catch((error: unknown) =>
          assert.ok(error instanceof Fault),
        );
      }),
      { numRuns: 300, seed: 7 },
    );
    for (let length = 1; length < whole.length - 4; length++) {
      await refuses(requestOf([whole.subarray(0, length)]), /form of the upload/);
    }
  });

  test('names its file in any of the encodings that clients use', async () => {
    for (const [written, name] of [
      ['filename="plain.txt"', 'plain.txt'],
      ['filename=bare.txt', 'bare.txt'],
      ['filename="ü %20 .txt"', 'ü %20 .txt'],
      ['filename="a%22b%0D%0A.txt"', 'a"b\r\n.txt'],
      ['filename="a\\"b.txt"', 'a"b.txt'],
      ["filename*=UTF-8''%C3%BC%20x.txt", 'ü x.txt'],
      ['filename="/etc/passwd.txt"', 'passwd.txt'],
      ['x="y"', ''],
    ] as const) {
      const head = `Content-Disposition: form-data; name="file"; ${written}\r\n`;
      assert.equal((await read(requestOf([formOf({ head, content: 'text' })]))).name, name, written);
    }
  });

  test('has one file, at most one metadata field, and nothing else', async () => {
    const file = { head: FILE, content: 'text' };
    const metadata = { head: METADATA, content: '{}' };
    const other = { head: 'Content-Disposition: form-data; name="other"; filename="b"\r\n', content: 'x' };
    await refuses(requestOf([formOf()]), /no part named file|damaged/);
    await refuses(requestOf([formOf(metadata)]), /no part named file/);
    await refuses(requestOf([formOf(file, file)]), /more than one file/);
    await refuses(requestOf([formOf(metadata, file, metadata)]), /more than one part named metadata/);
    await refuses(requestOf([formOf(other, file)]), /unknown part 'other'; expected file and metadata/);
    await refuses(requestOf([formOf(file, other)]), /unknown part 'other'/);
    await refuses(requestOf([formOf(file, { head: METADATA, content: 'x'.repeat(200_000) })]), /metadata/);
    const many = Array.from({ length: 9 }, () => ({ head: '', content: 'x' }));
    await refuses(requestOf([formOf(...many, file)]), /too many parts|no part/);
  });

  test('has the type multipart/form-data and a boundary', async () => {
    for (const type of [null, 'application/json', 'application/x-www-form-urlencoded', 'multipart/mixed']) {
      await refuses(requestOf([formOf()], type), /multipart\/form-data/, 415);
    }
    await refuses(requestOf([formOf()], 'multipart/form-data'), /boundary/);
  });

  test('is read no faster than its file is consumed, and no further once it is refused', async () => {
    let sent = 0;
    const piece = Buffer.alloc(64 * 1024);
    function* endless(): Generator<Buffer> {
      yield formOf({ head: FILE, content: '' }).subarray(0, -18);
      for (; sent < 1_000; sent++) yield piece;
    }
    const form = await openUploadForm(requestOf(endless()), admit);
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(sent < 30, `${sent} pieces were read that nothing consumed`);
    const pieces = form.content[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.return?.();
    form.close();
  });

  test('is not accepted from a caller who has lost access when it ends', async () => {
    const request = requestOf([formOf({ head: FILE, content: 'text' })]);
    const refusal = new Error('access lost');
    await assert.rejects(
      read(request, () => Promise.reject(refusal)),
      refusal,
    );
  });
});
