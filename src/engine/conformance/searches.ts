// Conformance: scores, order and selection of matches.
import assert from 'node:assert/strict';
import { assertScores, type Check, DRAMA, HYBRID, idsOf, listAll, SPARSE } from './harness.ts';
import { readable } from './same-records.ts';
import { dense, EVERYTHING, sampleQuery, sparseOf, sparseOnly } from './sample-data.ts';

export function scores(check: Check): void {
  const vectors = [dense('far', [-1, 0, 0, 0]), dense('near', [2, 2, 0, 0]), dense('same', [3, 0, 0, 0])];
  const cases = [
    {
      metric: 'cosine',
      expected: [
        ['same', 1],
        ['near', Math.SQRT1_2],
        ['far', -1],
      ],
    },
    {
      metric: 'dotproduct',
      expected: [
        ['same', 3],
        ['near', 2],
        ['far', -1],
      ],
    },
    {
      metric: 'euclidean',
      expected: [
        ['far', 4],
        ['same', 4],
        ['near', 5],
      ],
    },
  ] as const;
  for (const { metric, expected } of cases) {
    check(`scores by ${metric}, top match first, ties by id`, { metric }, async ({ reader, writer }) => {
      await writer.upsert('', vectors);
      await assertScores(reader, { values: Float32Array.of(1, 0, 0, 0) }, expected);
    });
  }
  check('adds dense and sparse products on hybrid indexes', HYBRID, async ({ reader, writer }) => {
    await writer.upsert('', [
      dense('a', [1, 0, 0, 0]),
      {
        ...dense('b', [0.5, 0, 0, 0]),
        sparse: sparseOf([
          [3, 2],
          [9, 5],
        ]),
      },
    ]);
    const values = Float32Array.of(1, 0, 0, 0);
    await assertScores(
      reader,
      {
        values,
        sparse: sparseOf([
          [3, 1],
          [4, 7],
        ]),
      },
      [
        ['b', 2.5],
        ['a', 1],
      ],
    );
    await assertScores(reader, { values }, [
      ['a', 1],
      ['b', 0.5],
    ]);
  });
  for (const metric of ['cosine', 'euclidean'] as const) {
    check(
      `returns sparse values by ${metric}, and leaves them unscored`,
      { metric },
      async ({ reader, writer }) => {
        const sparse = sparseOf([[3, 2]]);
        const both = { ...dense('both', [1, 0, 0, 0]), sparse };
        await writer.upsert('', [both, dense('plain', [1, 0, 0, 0])]);
        const score = metric === 'cosine' ? 1 : 0;
        const expected: readonly (readonly [string, number])[] = [
          ['both', score],
          ['plain', score],
        ];
        const values = Float32Array.of(1, 0, 0, 0);
        await assertScores(reader, { values, sparse }, expected);
        await assertScores(reader, { values }, expected);
        const [match] = await reader.query(sampleQuery({ values, includeValues: true }));
        assert.deepEqual(match?.sparse, sparse);
        assert.deepEqual((await reader.fetch('', ['both'])).map(readable), [readable(both)]);
      },
    );
  }
  check(
    'leaves out sparse records without a common index, and keeps negative scores',
    SPARSE,
    async ({ reader, writer }) => {
      await writer.upsert('', [
        sparseOnly('a', [[1, 2]]),
        sparseOnly('b', [
          [1, -2],
          [5, 1],
        ]),
        sparseOnly('c', [[5, 9]]),
      ]);
      await assertScores(
        reader,
        {
          sparse: sparseOf([
            [1, 3],
            [2, 1],
          ]),
        },
        [
          ['a', 6],
          ['b', -6],
        ],
      );
    },
  );
}

export function requiredTerms(check: Check): void {
  const sparse = sparseOf([
    [1, 3],
    [2, 1],
  ]);
  check(
    'takes topK from the records whose sparse vector has every required term, whatever its value',
    SPARSE,
    async ({ reader, writer }) => {
      const others = Array.from({ length: 50 }, (_, i) => sparseOnly(`x${i}`, [[1, 9]]));
      await writer.upsert('', [
        ...others,
        sparseOnly('a', [
          [1, 1],
          [7, 1],
        ]),
        sparseOnly('b', [
          [1, 2],
          [7, -1],
          [8, 0],
        ]),
        sparseOnly('c', [[7, 5]]),
      ]);
      const found = async (...indices: number[]) =>
        idsOf(await reader.query(sampleQuery({ sparse, topK: 2, requiredTerms: Uint32Array.from(indices) })));
      assert.deepEqual(await found(7), ['b', 'a']);
      assert.deepEqual(await found(7, 8), ['b']);
      assert.deepEqual(await found(6), []);
      assert.deepEqual(await found(), ['x0', 'x1']);
    },
  );
}

export function searches(check: Check): void {
  const values = Float32Array.of(1, 0, 0, 0);
  check('returns all matches, at most topK, ties by id', {}, async ({ reader, writer }) => {
    await writer.upsert(
      '',
      ['b', 'a', 'C', '10', '9'].map((id) => dense(id, [1, 0, 0, 0])),
    );
    assert.deepEqual(idsOf(await reader.query(sampleQuery({ values, topK: 100 }))), [
      '10',
      '9',
      'C',
      'a',
      'b',
    ]);
    assert.deepEqual(idsOf(await reader.query(sampleQuery({ values, topK: 2 }))), ['10', '9']);
  });
  check('takes topK from the records that match the filter', {}, async ({ reader, writer }) => {
    const others = Array.from({ length: 50 }, (_, i) => dense(`x${i}`, [1, 0, 0, 0], { genre: 'noir' }));
    await writer.upsert('', [
      ...others,
      dense('a', [0, 1, 0, 0], { genre: 'drama' }),
      dense('b', [-1, 0, 0, 0], { genre: ['noir', 'drama'] }),
    ]);
    assert.deepEqual(idsOf(await reader.query(sampleQuery({ values, topK: 2, filter: DRAMA }))), ['a', 'b']);
    assert.equal(await reader.count('', DRAMA), 2);
  });
  check('ranks by the sparse vector alone on hybrid indexes', HYBRID, async ({ reader, writer }) => {
    await writer.upsert('', [
      dense('a', [9, 0, 0, 0]),
      { ...dense('b', [1, 0, 0, 0]), sparse: sparseOf([[3, 2]]) },
      { ...dense('c', [1, 0, 0, 0]), sparse: sparseOf([[3, 5]]) },
    ]);
    await assertScores(reader, { sparse: sparseOf([[3, 1]]) }, [
      ['c', 5],
      ['b', 2],
    ]);
  });
  check('returns values and metadata only where requested', HYBRID, async ({ reader, writer }) => {
    const record = { ...dense('a', [1, 2, 3, 4], { n: 1 }), sparse: sparseOf([[1, 1]]) };
    await writer.upsert('', [record]);
    const [bare] = await reader.query(sampleQuery({ values }));
    const [full] = await reader.query(sampleQuery({ values, includeValues: true, includeMetadata: true }));
    assert.ok(bare !== undefined && full !== undefined);
    assert.deepEqual(readable(bare), { id: 'a', values: null, sparse: null, metadata: null });
    assert.deepEqual(readable(full), readable(record));
  });
  check('keeps namespaces apart, and reads a missing one as empty', {}, async ({ reader, writer }) => {
    await writer.upsert('one', [dense('a', [1, 0, 0, 0])]);
    await writer.upsert('two', [dense('b', [1, 0, 0, 0])]);
    assert.deepEqual(idsOf(await reader.query(sampleQuery({ values, namespace: 'two' }))), ['b']);
    assert.deepEqual(await reader.query(sampleQuery({ values })), []);
    assert.equal(await reader.count('none', EVERYTHING), 0);
    assert.deepEqual((await listAll(reader, 'none')).items, []);
    assert.equal(await reader.describeNamespace('none'), null);
  });
}
