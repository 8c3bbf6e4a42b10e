// Norms count as even only once all rows have been counted, and nearly all have about the same norm.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { Arena } from '../memory/arena.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { RECALL_PROMISED } from '../testing/recall.ts';
import { type DataSet, hard, longTailed } from '../testing/soak/data-sets.ts';
import { RecallFixture } from '../testing/soak/recall-fixture.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { NormSpread, NormSpreads } from './norm-spread.ts';
import { workspaceIn } from './workspace.ts';

const ROWS = 10_000;

/** What is known of rows of these norms, counted in batches. */
function spreadOf(norms: readonly number[], batch = ROWS): NormSpread {
  const spread = new NormSpread();
  for (let first = 0; first < norms.length; first += batch)
    spread.count(Float32Array.from(norms.slice(first, first + batch), (norm) => norm ** 2));
  return spread;
}

describe('norms', () => {
  const random = new Random(5);
  const rows = (normOf: () => number) => Array.from({ length: ROWS }, normOf);

  it('are even where all are within a third, at any length, and a stray row does not change that', () => {
    for (const usual of [1e-6, 1, 3e7]) {
      const norms = rows(() => usual * (0.8 + 0.4 * random.uniform()));
      assert.ok(spreadOf(norms).isEven, `around ${usual}`);
      for (const stray of [0, usual / 10, usual * 10, Number.POSITIVE_INFINITY, Number.NaN])
        assert.ok(spreadOf(norms.with(9, stray).with(ROWS - 1, stray)).isEven, `${usual} and ${stray}`);
    }
  });

  it('are uneven where one of a thousand is longer, or shorter, or where all differ', () => {
    for (const other of [0, 0.5, 2, 10])
      assert.ok(!spreadOf(rows(() => (random.uniform() < 1 / 1_000 ? other : 1))).isEven, `1 and ${other}`);
    assert.ok(!spreadOf(rows(() => Math.exp(0.3 * random.normal()))).isEven);
    assert.ok(!spreadOf(rows(() => 0.5 + 1.5 * random.uniform())).isEven);
  });

  it('are judged the same in whatever batches rows arrive', () => {
    const norms = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 4_000, maxLength: 9_000 });
    fc.assert(
      fc.property(norms, fc.integer({ min: 1_000, max: 9_000 }), (numbers, batch) => {
        const all = numbers.map((number) => (number === 0 ? 2 : 1));
        const parts = spreadOf(all, batch);
        assert.deepEqual([parts.isEven, parts.counted], [spreadOf(all).isEven, all.length]);
      }),
      { seed: 3, numRuns: 20 },
    );
  });
});

describe('the norms of an index', () => {
  const DIMENSION = 100;

  it('are read from memory as rows are added, across frames', async (test) => {
    const index = openInProcess(
      sampleProfile({ metric: 'dotproduct', dimension: DIMENSION }),
      tempFolder(test),
      { directRecordsMax: 0 },
    );
    const add = async (first: number, norms: readonly number[]) => {
      const records = norms.map((norm, i) => {
        const values = new Float32Array(DIMENSION);
        values[(first + i) % DIMENSION] = norm;
        return { id: `r${first + i}`, values, sparse: null, metadataJson: null };
      });
      await index.writer.upsert('', records);
    };
    const even = (spreads: NormSpreads, slots: number): boolean => {
      const { memories, namespaces, columnSeed } = index.parts.attachment();
      const structure = namespaces[0]?.segments[0] ?? assert.fail('not loaded');
      const memory = memories[structure.arena] ?? assert.fail('no arena');
      const workspace = workspaceIn(new Arena(memory));
      view ??= new SegmentReader(workspace.arena, structure, { dimension: DIMENSION, columnSeed });
      return spreads.areEven({ view, workspace, dimension: DIMENSION }, slots);
    };
    let view: SegmentReader | undefined;
    try {
      await add(0, new Array<number>(1_000).fill(3));
      await add(1_000, new Array<number>(900).fill(2.5));
      await index.reader.query(sampleQuery({ values: new Float32Array(DIMENSION).fill(1) }));
      const spreads = new NormSpreads();
      assert.deepEqual([even(spreads, 900), even(spreads, 1_900)], [true, true]);
      await add(1_900, [0.3]);
      assert.deepEqual([even(spreads, 1_900), even(spreads, 1_901)], [true, false]);
      assert.equal(even(new NormSpreads(), 1_901), false);
    } finally {
      await index.close();
    }
  });
});

describe('a search by dot product', () => {
  /**
   * As many as the graph searches with the effort for even norms, and a scan covers with the effort for uneven ones.
   */
  const RECORDS = 2_800;

  async function unfiltered(test: TestContext, dataSet: DataSet) {
    const options = { dataSet, metric: 'dotproduct', records: RECORDS, seed: 7 } as const;
    const fixture = new RecallFixture(tempFolder(test), options);
    try {
      await fixture.fill();
      const cells = await fixture.measure(10, [10]);
      return cells.find(({ filter }) => filter === 'none') ?? assert.fail('no such cell');
    } finally {
      await fixture.close();
    }
  }

  it('searches the graph as by cosine where all rows have one norm, and finds what it should', async (test) => {
    const { recall, searched } = await unfiltered(test, hard(64));
    assert.equal(searched, 1);
    assert.ok(recall >= RECALL_PROMISED, `recall ${recall}`);
  });

  it('takes more effort where norms differ', async (test) => {
    assert.equal((await unfiltered(test, longTailed(64))).searched, 0);
  });
});
