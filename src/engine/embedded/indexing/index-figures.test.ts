// An open index reports the progress of a graph that is being built.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sampleProfile } from '../../conformance/sample-data.ts';
import type { IndexStructure } from '../../port/engine-metrics.ts';
import { openInProcess } from '../in-process-index.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import type { Builders } from './builds/builders.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';

const RECORDS = 4_000;

it('reports the progress of a graph before each build step, and its completion', async (test) => {
  const profile = sampleProfile({ metric: 'dotproduct', dimension: 16 });
  const seen: (IndexStructure | null)[] = [];
  const sound = new InProcessBuilders();
  const builders: Builders = {
    count: 1,
    run: (memory, job) => {
      seen.push(index.parts.figures().structure);
      return sound.run(memory, job);
    },
  };
  const index = openInProcess(profile, tempFolder(test), {
    builders,
    directRecordsMax: 0,
    maintenanceLimits: { graphRecordsMin: 1_000, unindexedSlotsMin: 256 },
  });
  test.after(() => index.close());
  const records = new RandomRecords(profile, 96);
  // One write: a build that began between two would be of the first alone.
  await index.writer.upsert('', records.records(0, RECORDS));
  await index.reader.query(records.query());
  await index.parts.loaded.settled();
  const steps = seen.flatMap((structure) => structure?.building ?? []);
  assert.ok(steps.every(({ total }) => total === RECORDS));
  const done = steps.map((step) => step.done);
  assert.deepEqual(
    done,
    done.toSorted((a, b) => a - b),
    'work done does not shrink',
  );
  assert.ok(new Set(done).size > 2, done.join());
  assert.equal(index.parts.figures().structure?.building, null);
});
