// Guarantees of body parsing: what is refused before an endpoint runs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DATA_REQUEST_BYTES_MAX, JSON_DEPTH_MAX } from '../../../domain/limits.ts';
import { assertRefused, makeTestIndex } from '../testing/data-client.ts';
import { parseBody, parseOptionalBody } from './parse-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('parsing a request body', () => {
  it('returns what JSON.parse returns', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }));
    fc.assert(
      fc.property(object, (value) => {
        const text = JSON.stringify(value);
        assert.deepEqual(parseBody(bytes(text)), JSON.parse(text));
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it('refuses bodies that are not JSON, not UTF-8 or not an object with 400 code 3', async () => {
    const { call } = makeTestIndex();
    const invalidUtf8 = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d);
    const surrogateBytes = Uint8Array.of(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d);
    for (const body of ['', '{', '{"a":}', 'nonsense', '{"a":NaN}', invalidUtf8, surrogateBytes]) {
      await assertRefused(call('query_vectors', { body }), /^The request body is not valid JSON: /);
    }
    for (const body of ['[]', 'null', '1', '"text"']) {
      await assertRefused(call('query_vectors', { body }), 'The request body must be a JSON object');
    }
  });

  it('refuses unpaired surrogates in any string, and accepts pairs', async () => {
    const { call } = makeTestIndex();
    const message = 'The request body is not valid JSON: a string has an unpaired surrogate';
    for (const text of ['{"a":"\\ud800"}', '{"a":[{"b":"x\\uDFFFy"}]}', '{"\\ud83d":1}']) {
      await assertRefused(call('upsert_vectors', { body: text }), message);
    }
    assert.deepEqual(parseBody(bytes('{"a":"\\ud83d\\ude00"}')), { a: '😀' });
  });

  it(`accepts up to ${JSON_DEPTH_MAX} levels of nesting`, async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    assert.ok(parseBody(bytes(nested(JSON_DEPTH_MAX))));
    const { call } = makeTestIndex();
    for (const levels of [JSON_DEPTH_MAX + 1, 500_000]) {
      const message = `The request body is not valid JSON: it is nested deeper than ${JSON_DEPTH_MAX} levels`;
      await assertRefused(call('query_vectors', { body: nested(levels) }), message);
    }
  });

  it('refuses bodies over the limit with 400 and their size', async () => {
    const { call } = makeTestIndex();
    const padded = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`;
    assert.ok(parseBody(bytes(padded(DATA_REQUEST_BYTES_MAX))));
    const message = 'Request size 2.50MB exceeds the maximum supported size of 2MB';
    await assertRefused(call('upsert_vectors', { body: padded(2.5 * 1024 * 1024) }), message);
  });

  it('accepts an empty body where every field is optional', () => {
    assert.deepEqual(parseOptionalBody(bytes('')), {});
  });
});
