// Text search in memory finds what the naive evaluator finds, over many chunks and segments, after updates and deletes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { Articles, articleQuery } from '../testing/articles.ts';
import { effort } from '../testing/effort.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = effort({ daily: 6_000, long: 40_000 });
const QUERIES = effort({ daily: 20, long: 400 });
const BATCH = 1_000;
/** Small enough that the records take several. */
const SMALL_ARENA_FRAMES = 26;

for (const [name, options] of [
  ['one segment', {}],
  ['several segments', { framesMax: SMALL_ARENA_FRAMES, arenasMax: 32 }],
] as const) {
  it(`finds and scores the same records as the naive evaluator in ${name}`, async (test) => {
    const profile = sampleProfile(TEXTS_ONLY);
    const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0, ...options });
    test.after(() => index.close());
    const random = new Random(7);
    const articles = new Articles(random);
    for (let first = 0; first < RECORDS; first += BATCH) {
      await articles.write(index, BATCH);
      if (first === 0) await index.reader.query(sampleQuery({ text: term('text', 'w1') }));
      await articles.change(index);
    }
    const queries = Array.from({ length: QUERIES }, () => articleQuery(random, 2));
    await articles.check(index, queries);
    const segments = index.parts.loaded.segments().length;
    assert.ok(name === 'one segment' ? segments === 1 : segments > 1, `${segments} segments`);
  });
}
