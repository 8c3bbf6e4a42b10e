// Conformance: explanations of queries.
import assert from 'node:assert/strict';
import type { QueryExplanation } from '../../domain/query-explain.ts';
import type { QueryRequest, VectorReader } from '../port/reader-and-writer.ts';
import { type Check, DRAMA, SPARSE } from './harness.ts';
import { dense, sampleQuery, sparseOf, sparseOnly } from './sample-data.ts';

/** Tolerance for the rounding of clocks and sums. */
const SLACK_MS = 0.01;

export function explanations(check: Check): void {
  const values = Float32Array.of(1, 0, 0, 0);
  const films = Array.from({ length: 40 }, (_, i) =>
    dense(`film-${i}`, [1, i, 0, 1], { genre: i % 4 === 0 ? 'drama' : 'noir' }),
  );

  check('counts live and matching records in an explanation', {}, async ({ reader, writer }) => {
    await writer.upsert('', films);
    await writer.deleteIds('', ['film-0', 'film-1']);
    assertCounts(await explained(reader, { values }), { live: 38, matched: 38, rowsMin: 10 });
    assertCounts(await explained(reader, { values, filter: DRAMA, topK: 5 }), {
      live: 38,
      matched: 9,
      rowsMin: 5,
    });
  });

  check('explains searches by sparse vectors', SPARSE, async ({ reader, writer }) => {
    await writer.upsert('', [sparseOnly('a', [[1, 2]]), sparseOnly('b', [[5, 9]])]);
    assertCounts(await explained(reader, { sparse: sparseOf([[1, 1]]) }), {
      live: 2,
      matched: 2,
      rowsMin: 0,
    });
  });

  check('explains a query of a missing namespace as no search', {}, async ({ reader }) => {
    assert.partialDeepStrictEqual(await explained(reader, { values, namespace: 'none' }), {
      structure: 'none',
      nodesVisited: 0,
      distances: 0,
      rowsScored: 0,
      matched: 0,
      live: 0,
      unindexed: 0,
      tail: 0,
      effort: 1,
      tries: 0,
    });
  });

  check('returns the same matches with and without an explanation', {}, async ({ reader, writer }) => {
    await writer.upsert('', films);
    const request = sampleQuery({ values, topK: 7, includeMetadata: true });
    const plain = await reader.query(request);
    assert.deepEqual((await reader.explainQuery(request)).matches, plain);
  });
}

/** Returns the explanation of a query, after checking that its stages add up to no more than its total time. */
async function explained(reader: VectorReader, query: Partial<QueryRequest>): Promise<QueryExplanation> {
  const { explanation } = await reader.explainQuery(sampleQuery(query));
  const { total, ...stages } = explanation.milliseconds;
  const spent = Object.values(stages).reduce((sum, each) => sum + each, 0);
  assert.ok(spent <= total + SLACK_MS, `${spent} of ${total} ms`);
  return explanation;
}

function assertCounts(
  explanation: QueryExplanation,
  expected: { readonly live: number; readonly matched: number; readonly rowsMin: number },
): void {
  const { live, matched, rowsScored, tries } = explanation;
  assert.ok(tries >= 1);
  assert.equal(live, expected.live);
  assert.equal(matched, expected.matched);
  assert.ok(rowsScored >= expected.rowsMin, `${rowsScored} rows scored`);
}
