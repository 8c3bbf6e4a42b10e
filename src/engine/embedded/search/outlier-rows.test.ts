// Queries near one row and far from all others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RECALL_PROMISED } from '../testing/recall.ts';
import { outliers } from '../testing/soak/data-sets.ts';
import { RecallFixture } from '../testing/soak/recall-fixture.ts';
import { tempFolder } from '../testing/temp-folder.ts';

/** With fewer rows, most are scanned. */
const RECORDS = 10_000;
const QUERIES = 10;

it('finds the best of the far rows, too, beside an outlier', async (test) => {
  const options = { dataSet: outliers(32), metric: 'cosine', records: RECORDS, seed: 7 } as const;
  const fixture = new RecallFixture(tempFolder(test), options);
  try {
    await fixture.fill();
    for (const { filter, recall } of await fixture.measure(QUERIES, [10]))
      assert.ok(recall >= RECALL_PROMISED, `filter ${filter}: recall ${recall.toFixed(4)}`);
  } finally {
    await fixture.close();
  }
});
