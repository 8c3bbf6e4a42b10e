// The rules of ids, names, vectors and metadata: what is accepted, what is refused, and with which fault.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../faults.ts';
import { METADATA_BYTES_MAX, SPARSE_ENTRIES_MAX } from '../limits.ts';
import { FLOAT32_NORMAL_MIN, readDense } from './dense-vector.ts';
import { checkMetadata, readMetadata } from './metadata.ts';
import { readMetadataSchema } from './metadata-schema.ts';
import { changedRecord } from './record-change.ts';
import { checkRecordId, namespaceToShown, namespaceToStored } from './record-id.ts';
import { readSparse } from './sparse-vector.ts';
import { partsOf, readQueryVectors, readRecord, readVectorChange, vectorParts } from './vector-record.ts';

const OPTIONS = { seed: 11, numRuns: 300 };
const COSINE = { vectorType: 'dense', metric: 'cosine', dimension: 3 } as const;
const HYBRID = { ...COSINE, metric: 'dotproduct' } as const;
const SPARSE = { vectorType: 'sparse', metric: 'dotproduct', dimension: null } as const;

function faultOf(run: () => unknown): readonly [condition: string, message: string] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return [error.condition, error.message];
  }
  return assert.fail('no fault');
}

describe('ids and namespace names', () => {
  it('are 1 to 512 ASCII characters without NUL', () => {
    for (const id of ['a', 'x'.repeat(512), ' ~\x01\x7f']) assert.equal(checkRecordId(id), id);
    for (const id of ['', 'x'.repeat(513), 'é', 'a\0', '\ud800', 7, null, undefined, {}]) {
      assert.equal(faultOf(() => checkRecordId(id))[0], 'invalid-argument');
    }
  });

  it('name one default namespace in three ways', () => {
    for (const name of [undefined, null, '', '__default__']) assert.equal(namespaceToStored(name), '');
    assert.equal(namespaceToShown(''), '__default__');
    assert.equal(namespaceToShown(namespaceToStored('a b')), 'a b');
    assert.equal(faultOf(() => namespaceToStored('ü'))[0], 'invalid-argument');
  });
});

describe('dense vectors', () => {
  it('become the nearest 32-bit floats, whatever finite numbers come', () => {
    const numbers = fc.array(fc.double({ noNaN: true, min: -3e38, max: 3e38 }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, (list) => {
        const { values, allZero } = readDense(list, list.length);
        const expected = list.map((x) =>
          Math.abs(Math.fround(x)) < FLOAT32_NORMAL_MIN ? 0 : Math.fround(x),
        );
        assert.deepEqual(values, Float32Array.from(expected));
        assert.equal(allZero, !values.some((x) => Math.abs(x) >= Math.fround(1e-8)));
      }),
      OPTIONS,
    );
  });

  it('flush denormal floats to zero, so that a vector of them is all zero', () => {
    assert.deepEqual(readDense([1e-40, 1, -1e-45], 3).values, Float32Array.of(0, 1, 0));
    assert.deepEqual(
      faultOf(() => readRecord({ id: 'v', values: [1e-40, 0, 9e-9] }, COSINE)),
      [
        'zero-vector',
        "Dense vectors must contain at least one non-zero value. Vector ID 'v' contains only zeros",
      ],
    );
  });

  it('need a component of 1e-8 or more, of either sign', () => {
    for (const [value, allZero] of [
      [1e-8, false],
      [-1e-8, false],
      [9.9e-9, true],
    ] as const) {
      assert.equal(readDense([0, value], 2).allZero, allZero, String(value));
      assert.equal(readDense(Float32Array.of(0, value), 2).allZero, allZero, String(value));
    }
  });

  it('must have the dimension of the index', () => {
    for (const values of [
      [1, 2],
      [1, 2, 3, 4],
    ]) {
      assert.deepEqual(
        faultOf(() => readRecord({ id: 'v', values }, COSINE)),
        [
          'dimension-mismatch',
          `Vector dimension ${values.length} does not match the dimension of the index 3`,
        ],
      );
    }
    for (const item of [{ id: 'v' }, { id: 'v', values: [] }, { id: 'v', values: null }]) {
      assert.equal(faultOf(() => readRecord(item, COSINE))[0], 'dimension-mismatch');
    }
  });

  it('must hold numbers that fit a 32-bit float', () => {
    const bad = [
      [1e39, 1, 1],
      [1, -1e39, 1],
      [1, Number.POSITIVE_INFINITY, 1],
      [Number.NaN, 1, 1],
      [1, Number.NaN, 1],
      [Number.NaN, Number.NaN, Number.NaN],
      [1, '2', 3],
      [1, null, 3],
      [[1], 2, 3],
    ];
    for (const values of [...bad, 'abc', { length: 3 }, 5]) {
      assert.equal(faultOf(() => readRecord({ id: 'v', values }, COSINE))[0], 'invalid-argument');
    }
  });

  it('do not fit sparse indexes', () => {
    const item = { id: 'v', values: [1], sparseValues: { indices: [1], values: [1] } };
    assert.equal(faultOf(() => readRecord(item, SPARSE))[0], 'invalid-argument');
    assert.notEqual(readRecord({ ...item, values: [] }, SPARSE).sparse, null);
  });
});

describe('sparse vectors', () => {
  it('are kept in ascending index order, zeros included', () => {
    const entries = fc.uniqueArray(fc.tuple(fc.nat({ max: 4_294_967_295 }), fc.integer()), {
      selector: ([index]) => index,
      minLength: 1,
    });
    fc.assert(
      fc.property(entries, (list) => {
        const sparse = readSparse(
          list.map(([i]) => i),
          list.map(([, v]) => v),
        );
        const sorted = list.toSorted(([a], [b]) => a - b);
        assert.deepEqual(
          sparse.indices,
          Uint32Array.from(sorted, ([i]) => i),
        );
        assert.deepEqual(
          sparse.values,
          Float32Array.from(sorted, ([, v]) => v),
        );
      }),
      OPTIONS,
    );
  });

  it('must be lists of the same length with unique unsigned 32-bit indices', () => {
    const many = Array.from({ length: SPARSE_ENTRIES_MAX + 1 }, (_, i) => i);
    const bad: [unknown, unknown][] = [
      [[1, 2], [1]],
      [
        [1, 1],
        [1, 2],
      ],
      [
        [2, 1, 2],
        [1, 2, 3],
      ],
      [[-1], [1]],
      [[1.5], [1]],
      [[4_294_967_296], [1]],
      [['1'], [1]],
      [[1], ['1']],
      [[1], [1e39]],
      [[1], [Number.NaN]],
      [
        [1, 2],
        [Number.NaN, 1],
      ],
      [[1], Float32Array.of(Number.NaN)],
      [[1], [Number.NEGATIVE_INFINITY]],
      [{}, [1]],
      [many, many],
    ];
    for (const [indices, values] of bad) {
      assert.equal(faultOf(() => readSparse(indices, values))[0], 'invalid-argument');
    }
  });

  it('must not be empty, nor missing on a sparse index', () => {
    for (const sparseValues of [undefined, {}, { indices: [], values: [] }]) {
      assert.deepEqual(
        faultOf(() => readRecord({ id: 'v', sparseValues }, SPARSE)),
        ['empty-sparse-vector', 'Sparse vector must contain at least one value'],
      );
    }
  });

  it('are stored on indexes of every metric, but queried only on dotproduct', () => {
    const item = { id: 'v', values: [1, 2, 3], sparseValues: { indices: [1], values: [1] } };
    for (const metric of ['cosine', 'euclidean'] as const) {
      const shape = { ...COSINE, metric };
      assert.deepEqual(readRecord(item, shape).sparse, readRecord(item, HYBRID).sparse);
      assert.notEqual(
        readVectorChange('v', partsOf({ sparseValues: item.sparseValues }), shape).sparse,
        null,
      );
      assert.deepEqual(
        faultOf(() => readQueryVectors(partsOf(item), shape)),
        [
          'sparse-unsupported',
          'Index configuration does not support sparse values - only indexes that are sparse or using dotproduct are supported',
        ],
      );
    }
    assert.notEqual(readRecord(item, HYBRID).sparse, null);
    assert.notEqual(
      readRecord({ ...item, sparseValues: undefined, sparse_values: item.sparseValues }, HYBRID).sparse,
      null,
    );
  });
});

describe('query vectors', () => {
  it('may be all zero except on cosine', () => {
    const zeros = vectorParts([0, 0, 0], undefined);
    assert.deepEqual(readQueryVectors(zeros, HYBRID)?.values, Float32Array.of(0, 0, 0));
    assert.match(
      faultOf(() => readQueryVectors(zeros, COSINE))[1],
      /must contain at least one non-zero value/,
    );
  });

  it('need a dense part on dense indexes', () => {
    const sparse = vectorParts(undefined, { indices: [1], values: [1] });
    assert.equal(faultOf(() => readQueryVectors(sparse, HYBRID))[0], 'invalid-argument');
    assert.equal(readQueryVectors(vectorParts([], null), HYBRID), null);
  });
});

describe('metadata', () => {
  it('keeps strings, numbers, booleans and lists of strings', () => {
    const value = fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.array(fc.string()),
    );
    const metadata = fc.dictionary(
      fc.string().filter((key) => !key.startsWith('$')),
      value,
      { maxKeys: 9 },
    );
    fc.assert(
      fc.property(metadata, (given) => {
        const json = JSON.stringify(given);
        assert.equal(readMetadata(JSON.parse(json)), json);
      }),
      OPTIONS,
    );
    assert.equal(readMetadata(undefined), null);
    assert.equal(readMetadata(null), null);
    assert.equal(readMetadata({}), '{}');
  });

  it('refuses null, nesting, mixed lists and numbers beyond doubles, naming the field', () => {
    const bad: [unknown, string][] = [
      [null, 'null'],
      [{ a: 1 }, '{"a":1}'],
      [[1, 2], '[1,2]'],
      [['a', 1], '["a",1]'],
      [[['a']], '[["a"]]'],
      [Number('1e999'), 'Infinity'],
    ];
    for (const [value, shown] of bad) {
      assert.deepEqual(
        faultOf(() => readMetadata({ ok: 1, f: value })),
        [
          'bad-metadata-value',
          `Metadata value must be a string, number, boolean or list of strings, got '${shown}' for field 'f'`,
        ],
      );
    }
    for (const bad of ['text', 3, [], [1]])
      assert.equal(faultOf(() => readMetadata(bad))[0], 'invalid-argument');
    assert.match(faultOf(() => readMetadata({ $eq: 1 }))[1], /'\$eq'/);
  });

  it('is measured in UTF-8 bytes of its JSON', () => {
    const envelope = '{"k":""}'.length;
    const fits = { k: 'é'.repeat((METADATA_BYTES_MAX - envelope) / 2) };
    assert.equal(Buffer.byteLength(readMetadata(fits) ?? ''), METADATA_BYTES_MAX);
    assert.deepEqual(
      faultOf(() => readMetadata({ k: `${fits.k}a` })),
      ['metadata-too-big', 'Metadata size is 40961 bytes, which exceeds the limit of 40960 bytes per vector'],
    );
  });

  it('treats __proto__ as a field like any other', () => {
    const text = '{"__proto__":"x","constructor":"y"}';
    assert.equal(readMetadata(JSON.parse(text)), text);
    const stored = { id: 'a', values: null, sparse: null, metadataJson: text };
    const setMetadata = checkMetadata(JSON.parse('{"__proto__":"z"}'));
    const change = { id: 'a', values: null, sparse: null, setMetadata };
    const { metadataJson } = changedRecord(stored, change, { documents: null, dimension: null });
    assert.equal(metadataJson, text.replace('x', 'z'));
    assert.equal(faultOf(() => readMetadata(JSON.parse('{"__proto__":{"a":1}}')))[0], 'bad-metadata-value');
  });
});

describe('metadata schemas', () => {
  it('list 1 to 50 filterable fields', () => {
    const schema = { fields: { genre: { filterable: true }, year: { filterable: true } } };
    assert.deepEqual(readMetadataSchema(schema), schema);
    assert.equal(readMetadataSchema(null), null);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, { filterable: true }]));
    const bad = [
      {},
      { fields: {} },
      { fields: [] },
      { fields: many },
      { fields: { f: {} } },
      { fields: { f: true } },
      [],
    ];
    for (const json of [...bad, { fields: { $f: { filterable: true } } }]) {
      assert.equal(faultOf(() => readMetadataSchema(json))[0], 'invalid-argument');
    }
  });

  it('cannot make a field not filterable', () => {
    assert.equal(
      faultOf(() => readMetadataSchema({ fields: { f: { filterable: false } } }))[1],
      "Field 'f' is set to filterable: false. Only filterable: true is supported.",
    );
  });
});
