// Answers are exact, score by score, wherever vectors lie that are scanned: beyond what codes describe, too.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = 400;
const DIMENSION = 19;
const OFFSETS = [0, 3, 10, 30, 100, 1_000, 1e6, 1e14, 1e20, 1e30, 1e-8];

for (const metric of ['euclidean', 'cosine', 'dotproduct'] as const)
  for (const isMixed of [false, true])
    it(`scans vectors anywhere by ${metric} exactly${isMixed ? ', beside some that lie elsewhere' : ''}`, async (test) => {
      const random = new Random(77);
      for (const offset of OFFSETS) {
        const profile = sampleProfile({ metric, dimension: DIMENSION });
        const index = openInProcess(profile, tempFolder(test), { directRecordsMax: 0 });
        const model = new ReferenceIndex(profile);
        const spread = offset < 1 ? offset / 100 || 1 : Math.max(1, offset / 1_000);
        const vector = (middle = offset) =>
          Float32Array.from({ length: DIMENSION }, () => middle + spread * random.normal());
        const strays = [-offset, 1e33, -2e38, 0];
        const records = Array.from({ length: RECORDS }, (_, at) => ({
          id: `r${at}`,
          values: vector(isMixed && at % 20 === 0 ? strays[(at / 20) % strays.length] : offset),
          sparse: null,
          metadataJson: null,
        }));
        for (const side of [index.writer, model]) await side.upsert('', records);
        const queries = [offset, offset, ...(isMixed ? strays : [])].map((middle) =>
          sampleQuery({ values: vector(middle), topK: 15 }),
        );
        for (const query of queries) {
          const scores = (await index.reader.query(query)).map(({ score }) => score);
          const wanted = (await model.query(query)).map(({ score }) => score);
          assert.equal(scores.length, wanted.length);
          for (const [at, score] of scores.entries())
            assert.ok(
              isClose(score, wanted[at] ?? Number.NaN),
              `offset ${offset}: ${score}, not ${wanted[at]}`,
            );
        }
        await index.close();
      }
    });

/** As close as 32-bit arithmetic comes, with some terms. */
function isClose(score: number, wanted: number): boolean {
  return score === wanted || Math.abs(score - wanted) <= 1e-5 * Math.max(1, Math.abs(wanted));
}
