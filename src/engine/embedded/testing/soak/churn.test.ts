// Records are replaced so fast that checkpoints, compactions and restarts overlap.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sampleProfile } from '../../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { openInProcess } from '../../in-process-index.ts';
import { effort } from '../effort.ts';
import { RECALL_PROMISED } from '../recall.ts';
import { tempFolder } from '../temp-folder.ts';
import { checkQuery, checkState, Recall } from './soak-checks.ts';
import { SoakRecords } from './soak-records.ts';

/** For a night: PINYON_CHURN_RESTARTS=500 */
const RESTARTS = Number(process.env.PINYON_CHURN_RESTARTS ?? effort({ daily: 2, long: 30 }));
const SEED = Number(process.env.PINYON_CHURN_SEED ?? 3);
const RECORDS = 2_600;
const REPLACED_MAX = 1_500;
const ROUNDS_MAX = 8;
const PAUSE_MS_MAX = 12;
const MS_MAX = 3_600_000;

it('shows everything written after a restart in the middle of checkpoints and compactions', {
  timeout: MS_MAX,
}, async (test) => {
  const folder = tempFolder(test);
  const profile = sampleProfile({ metric: 'cosine', dimension: 8 });
  const model = new ReferenceIndex(profile);
  const records = new SoakRecords(profile, SEED);
  const { random } = records;
  const recall = new Recall();
  const all = Array.from({ length: RECORDS }, (_, i) => i);
  for (let restart = 0; restart <= RESTARTS; restart++) {
    const index = openInProcess(profile, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 0,
    });
    try {
      const write = async (ids: readonly number[]) => {
        const batch = ids.map((id) => records.record(`r${id}`));
        for (const side of [index.writer, model]) await side.upsert('', batch);
      };
      const look = async () => {
        const sides = { actual: index.reader, model };
        await checkState(sides, '', [records.filter(), records.narrowFilter()]);
        for (let i = 0; i < 3; i++) await checkQuery(sides, records.query(''), recall);
      };
      if (restart === 0) await write(all);
      if (random.integer(3) > 0) await look();
      for (let round = random.integer(ROUNDS_MAX); round > 0; round--) {
        await write(all.slice(0, 1 + random.integer(REPLACED_MAX)).map(() => random.integer(RECORDS)));
        const choice = random.integer(4);
        if (choice === 0) await index.parts.loaded.settled();
        if (choice === 1) await pause(random.integer(PAUSE_MS_MAX));
        if (choice === 2) await look();
      }
    } finally {
      await index.close();
    }
  }
  test.diagnostic(`${RESTARTS} restarts, ${recall.queries} queries, recall ${recall.share.toFixed(4)}`);
  assert.ok(recall.share >= RECALL_PROMISED);
});
