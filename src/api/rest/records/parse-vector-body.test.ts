// Guarantees of bodies with vectors: the parser accepts and refuses what JSON.parse does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { readDense } from '../../../domain/records/dense-vector.ts';
import { effort } from '../../../engine/embedded/testing/effort.ts';
import { LIST_MARK } from './number-lists/take-lists.ts';
import { parseBody } from './parse-body.ts';
import { parseVectorBody, type VectorLayout } from './parse-vector-body.ts';

const LAYOUT: VectorLayout = {
  depth: 3,
  field: 'values',
  parents: ({ vectors }) => (Array.isArray(vectors) ? vectors : []),
};
const LIST = '[0.1,-2,3e-2,4,5,6,7,8,9,10,11,12,13,14,15,1234567890.123456789]';

/** The body with its vectors as the domain reads them, or the refusal. */
function outcome(parse: (body: Uint8Array) => JsonObject, text: string): unknown {
  try {
    return parse(Buffer.from(text));
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return [error.condition, error.message];
  }
}

function withFloats(body: JsonObject): JsonObject {
  for (const parent of LAYOUT.parents(body)) {
    if (typeof parent !== 'object' || parent === null) continue;
    const record = parent as Record<string, unknown>;
    const { values } = record;
    if (!Array.isArray(values) || values.length < 16) continue;
    try {
      record.values = readDense(values, values.length).values;
    } catch {
      // The domain refuses it later, with the same message for both.
    }
  }
  return body;
}

function assertSame(text: string): void {
  const expected = outcome((body) => withFloats(parseBody(body)), text);
  assert.deepEqual(
    outcome((body) => withFloats(parseVectorBody(body, LAYOUT)), text),
    expected,
  );
}

describe('parsing a body with vectors', () => {
  it('returns the vectors as floats', () => {
    const body = parseVectorBody(Buffer.from(`{"vectors":[{"values":${LIST}},{"values":[1]},3]}`), LAYOUT);
    const floats = Float32Array.from(JSON.parse(LIST));
    assert.deepEqual(body, { vectors: [{ values: floats }, { values: [1] }, 3] });
  });

  it('parses as usual when a list is elsewhere, a duplicate or a name', () => {
    const texts = [
      `{"vectors":[{"values":${LIST},"values":${LIST.replace('0.1', '7')}}]}`,
      `{"vectors":[{"values":${LIST}}],"vectors":[{"values":[1]}]}`,
      `{"vectors":[{"metadata":${LIST}},{"values":${LIST}}]}`,
      `{"vectors":[{"values":${LIST}},{"values":"${LIST_MARK}"}]}`,
      `{"vectors":[{${LIST}:1}]}`,
      `{"vectors":[{"values":${LIST}]}`,
      `{"vectors":[{"values":${LIST} ${LIST}}]}`,
      `{"vectors":[{"__proto__":{"values":1},"values":${LIST}}]}`,
      `{"a":{"b":{"c":${LIST}}},"vectors":[{"values":${LIST}}]}`,
      `{"vectors":{"0":{"values":${LIST}}}}`,
      `[[[${LIST}]]]`,
      `\ufeff{"vectors":[{"values":${LIST},"a":"\\ud83d\\ude00"}]}`,
      `{"vectors":[{"values":${LIST},"a":"\\ud800"}]}`,
      `{"vectors":[{"values":${LIST.replace('4', '4e40')}}]}`,
    ];
    for (const text of texts) assertSame(text);
  });

  it('accepts and refuses what JSON.parse does, whatever happens to the bytes', () => {
    const record = fc.record({
      id: fc.string(),
      values: fc.oneof(
        fc.array(fc.double({ noNaN: true, min: -9, max: 9 }), { minLength: 14, maxLength: 20 }),
        fc.jsonValue({ maxDepth: 2 }),
      ),
      metadata: fc.dictionary(
        fc.constantFrom('values', 'a"[', '\\'),
        fc.array(fc.integer(), { maxLength: 18 }),
      ),
    });
    const edit = fc.record({
      at: fc.nat({ max: 2_000 }),
      cut: fc.nat({ max: 3 }),
      put: fc.constantFrom(
        '',
        '',
        '"',
        '\\',
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '0',
        '-',
        '.',
        'e',
        ' ',
        'é',
        '\\ud800',
      ),
    });
    const property = fc.property(fc.array(record), fc.array(edit, { maxLength: 3 }), (vectors, edits) => {
      let text = JSON.stringify({ vectors });
      for (const { at, cut, put } of edits) {
        const position = at % text.length;
        text = text.slice(0, position) + put + text.slice(position + cut);
      }
      assertSame(text);
    });
    fc.assert(property, { seed: 5, numRuns: effort({ daily: 250, long: 20_000 }) });
  });
});
