// Deserialization faults name what does not fit and where it is, as JSON deserializers do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import { assertBounded } from '../../../platform/testing/processor-time.ts';
import { Type } from '../../schema/type.ts';
import { mapOf } from './body-parts.ts';
import { deserialize } from './deserialize.ts';
import { endOfValue } from './json-position.ts';

const SCHEMA = Type.Object(
  {
    name: Type.String({ minLength: 3 }),
    size: Type.Optional(Type.Integer({ minimum: 1 })),
    kind: Type.Optional(Type.String({ enum: ['a', 'b'] })),
    part: Type.Optional(Type.Object({ on: Type.Boolean() }, { additionalProperties: false })),
    list: Type.Optional(Type.Array(Type.String())),
    tags: Type.Optional(mapOf(Type.String(), 'tags')),
  },
  { additionalProperties: false },
);

function reasonFor(bodyText: string): string {
  try {
    deserialize(SCHEMA, { body: bodyText === '' ? undefined : JSON.parse(bodyText), bodyText });
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error.message.replace('Failed to deserialize the JSON body into the target type: ', '');
  }
  return 'fits';
}

describe('deserialize', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{}', 'missing field `name` at line 1 column 2'],
    ['{"name":"abc"}', 'fits'],
    ['[]', 'invalid type: sequence, expected a map at line 1 column 2'],
    ['null', 'invalid type: null, expected a map at line 1 column 4'],
    ['{"name":7}', 'invalid type: integer `7`, expected a string at line 1 column 9'],
    ['{"name":null}', 'invalid type: null, expected a string at line 1 column 12'],
    [
      '{"name":"abc","size":1.5}',
      'invalid type: floating point `1.5`, expected an integer at line 1 column 24',
    ],
    ['{"name":"abc","size":"x"}', 'invalid type: string "x", expected an integer at line 1 column 24'],
    ['{"name":"abc","size":true}', 'invalid type: boolean `true`, expected an integer at line 1 column 25'],
    ['{"name":"abc","list":["a",{}]}', 'invalid type: map, expected a string at line 1 column 28'],
    ['{\n "name":"abc",\n "part":{}\n}', 'missing field `on` at line 3 column 10'],
    ['{"name":"abc","part":{"on":true,"off":1}}', 'unknown field `off`, expected `on` at line 1 column 39'],
    [
      '{"name":"abc","x":1}',
      'unknown field `x`, expected one of `name`, `size`, `kind`, `part`, `list`, `tags` at line 1 column 19',
    ],
    ['{"name":"abc","tags":{"a/b~":1}}', 'invalid type: integer `1`, expected a string at line 1 column 30'],
    ['{"name":"abc","tags":{"a":null}}', 'invalid type: null, expected a string at line 1 column 30'],
    ['{"size":"x"}', 'invalid type: string "x", expected an integer at line 1 column 11'],
    ['{"name":"abc","size":null,"part":null}', 'fits'],
    ['{"name":"a","size":0,"kind":"c"}', 'fits'],
    ['', 'The request body is not valid JSON: EOF while parsing a value at line 1 column 0'],
  ];
  for (const [text, reason] of cases) {
    test(`refuses ${JSON.stringify(text)}: ${reason}`, () => assert.equal(reasonFor(text), reason));
  }

  test('treats null in an optional field as absent', () => {
    const bodyText = '{"name":"abc","size":null}';
    assert.deepEqual(deserialize(SCHEMA, { body: JSON.parse(bodyText), bodyText }), { name: 'abc' });
  });

  test('reports a wrong type even after many wrong choices', () => {
    const schema = Type.Object({ map: mapOf(SCHEMA, 'map') });
    const wrongChoice = { name: 'abc', kind: 'zzz' };
    const map = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, wrongChoice]));
    const body = { map: { ...map, last: { name: 'abc', size: 'x' } } };
    assert.throws(() => deserialize(schema, { body, bodyText: JSON.stringify(body) }), Fault);
  });

  test('truncates a quoted value', () => {
    assert.ok(reasonFor(JSON.stringify({ name: 'abc', size: 'x'.repeat(1_000_000) })).length < 300);
  });
});

describe('endOfValue', () => {
  test('is where the value ends, for every value of any JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        for (const { path, node } of nodesOf(value)) {
          const { line, column } = endOfValue(text, path);
          const lines = text.split('\n');
          const before = [...lines.slice(0, line - 1), (lines[line - 1] ?? '').slice(0, column)].join('\n');
          const last = JSON.stringify(node, null, indent).slice(-1);
          assert.equal(before.slice(-1), last);
          if (path.length === 0) assert.equal(before, text);
        }
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  test('takes work in proportion to the body, however large it is', async () => {
    const text = JSON.stringify({
      list: Array.from({ length: 400_000 }, () => 1),
      last: '\\"'.repeat(50_000),
    });
    await assertBounded(() => assert.equal(endOfValue(text, ['last']).column, text.length - 1));
  });
});

function nodesOf(
  value: unknown,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly node: unknown }[] {
  const children = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [{ path, node: value }, ...children.flatMap(([key, child]) => nodesOf(child, [...path, key]))];
}
