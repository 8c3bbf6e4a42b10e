// Guarantees of validation: the same verdict as the schema library, with the same errors in the same order.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/schema';
import type { EndpointDetails } from '../endpoint.ts';
import { adminEndpoints } from '../rest/admin-endpoints.ts';
import { aliasEndpoints } from '../rest/aliases/alias-endpoints.ts';
import { assistantEndpoints } from '../rest/assistant-endpoints.ts';
import { controlEndpoints } from '../rest/control-endpoints.ts';
import { dataEndpoints } from '../rest/data-endpoints.ts';
import { identityEndpoints } from '../rest/identity-endpoints.ts';
import { bulkEndpoints } from '../rest/import-export/bulk-endpoints.ts';
import { inferenceEndpoints } from '../rest/inference-endpoints.ts';
import { type JsonType, type Shape, shapeOf } from './shape.ts';
import { validationErrors } from './validation-errors.ts';

/** Some that JSON pointers escape, and some that all objects inherit. */
const NAMES = ['a', 'b', 'a/b', '~', '~1', '', '.*', '$', '__proto__', 'constructor'];
const Name = fc.constantFrom(...NAMES);
const AnyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom({}, [], null, undefined, Number.POSITIVE_INFINITY),
);

const FITTING: Readonly<Record<JsonType, (shape: Shape) => fc.Arbitrary<unknown>>> = {
  array: ({ items = {} }) => fc.array(valueNear(items), { maxLength: 12 }),
  boolean: () => fc.boolean(),
  integer: () => fc.constantFrom(0, -3, 2 ** 60, 1.0),
  null: () => fc.constant(null),
  number: () => fc.constantFrom(0, 1.5, -1e300),
  object: objectNear,
  string: () => fc.constantFrom('', 'text', '1'),
};

/** Mostly valid; otherwise with a wrong type, or missing or extra members, anywhere. */
function valueNear(shape: Shape): fc.Arbitrary<unknown> {
  const fitting = shape.type === undefined ? AnyValue : FITTING[shape.type](shape);
  return fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: AnyValue });
}

function objectNear({ properties = {}, additionalProperties: other = true }: Shape): fc.Arbitrary<unknown> {
  const named = Object.fromEntries(
    Object.entries(properties).map(([name, child]) => [name, valueNear(child)]),
  );
  const known = fc.oneof({ weight: 4, arbitrary: fc.record(named) }, fc.record(named, { requiredKeys: [] }));
  const others = fc.dictionary(Name, typeof other === 'object' ? valueNear(other) : AnyValue, {
    maxKeys: 10,
  });
  const more = fc.oneof({ weight: other === false ? 4 : 1, arbitrary: fc.constant({}) }, others);
  return fc.tuple(more, known).map(([more, known]) => ({ ...more, ...known }));
}

function assertSameVerdict(shape: Shape, value: unknown, validator = Compile(shape)): void {
  const [, errors] = validator.Errors(value);
  assert.deepEqual(
    validationErrors(shape, value),
    errors.map(({ message: _, ...error }) => error),
  );
  assert.equal(validator.Check(value), errors.length === 0);
}

describe('validation', () => {
  test('finds what the library finds, for any shape and value', () => {
    fc.assert(
      fc.property(
        AnyShape.chain((shape) => fc.tuple(fc.constant(shape), valueNear(shape))),
        ([shape, value]) => assertSameVerdict(shape, value),
      ),
      { seed: 38, numRuns: 400 },
    );
  });

  test('finds what the library finds, for every schema of the service', () => {
    const shapes = serviceShapes();

    assert.ok(shapes.length > 200);
    for (const shape of shapes) {
      const validator = Compile(shape);
      const property = fc.property(valueNear(shape), (value) => assertSameVerdict(shape, value, validator));
      fc.assert(property, { seed: 38, numRuns: 12 });
    }
  });

  test('stops at the eighth error, however large the body', () => {
    let reads = 0;
    const read = (array: readonly unknown[], key: string | symbol) => {
      reads += Number(/^\d+$/.test(String(key)));
      return Reflect.get(array, key);
    };
    const value = new Proxy(new Array(1_000_000).fill(1), { get: read });
    assert.equal(validationErrors({ type: 'array', items: { type: 'string' } }, value).length, 8);
    assert.equal(reads, 8);
  });
});

const { shape: AnyShape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Shape>(
      {},
      { type: 'string' },
      { type: 'integer' },
      { type: 'number' },
      { type: 'boolean' },
    ),
    fc.record<Shape>({ type: fc.constant('array'), items: tie('shape') }),
    fc.record<Shape>(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(Name, tie('shape'), { maxKeys: 4 }),
        required: fc.uniqueArray(Name, { maxLength: 3 }),
        additionalProperties: fc.oneof(fc.boolean(), tie('shape')),
      },
      { requiredKeys: [] },
    ),
  ),
}));

/** The shapes of all bodies, responses and parameters; each alternative by itself, as bodies are checked by one of them. */
function serviceShapes(): readonly Shape[] {
  const endpoints: readonly EndpointDetails[] = [
    ...controlEndpoints,
    ...dataEndpoints,
    ...bulkEndpoints,
    ...aliasEndpoints,
    ...inferenceEndpoints,
    ...assistantEndpoints,
    ...adminEndpoints,
    ...identityEndpoints,
  ];
  const schemas = endpoints.flatMap(({ params, query, headers, body, success }) =>
    [params, query, headers, body, success.schema].filter((schema) => schema !== undefined),
  );
  return schemas.flatMap(alternatives).map(shapeOf);
}

function alternatives(schema: { readonly anyOf?: readonly object[] }): readonly object[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(alternatives)];
}
