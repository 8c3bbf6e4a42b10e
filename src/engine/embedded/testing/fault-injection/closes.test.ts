// Closing during a load, a build, a consolidation or a checkpoint ends in time, breaks nothing and loses nothing.
import { it } from 'node:test';
import { inTime } from '../../../../platform/testing/until.ts';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { effort } from '../effort.ts';
import { assertRecall } from '../recall.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import { crashFixture, FILTERS, load } from './fixture.ts';

/** Turns of the event loop between one close and the next that is tried. */
const STEP = effort({ daily: 4, long: 1 });

it('keeps what was acknowledged when an index closes after any number of turns', async (test) => {
  const { profile, records, open, close } = crashFixture(test, { saveIdleMs: 1 });
  const model = new ReferenceIndex(profile);
  let next = 1_500;
  {
    const opened = open();
    const batch = records.records(0, next);
    for (const side of [opened.index.writer, model]) await side.upsert('', batch);
    await load(opened, records);
    await close(opened);
  }
  for (let turns = 0; turns < 60; turns += turns < 20 ? STEP : 4 * STEP) {
    const opened = open();
    const { writer, reader } = opened.index;
    const query = reader.query(records.query()).catch(() => {});
    const added = records.records(next, 60);
    const changed = records.records(0, 700);
    next += 60;
    for (const side of [writer, model]) {
      await side.upsert('', added);
      if (turns % 3 === 0) await side.upsert('', changed);
      await side.deleteIds(
        '',
        Array.from({ length: 40 }, (_, i) => `r${turns * 20 + i}`),
      );
    }
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    await inTime(close(opened), 'closing');
    await query;
  }
  const again = open();
  await load(again, records);
  await again.index.parts.loaded.settled();
  assertMemoryIsRecords(again.index.parts, FILTERS);
  for (const segment of again.index.parts.loaded.segments()) assertGraphIsSound(segment);
  const queries = Array.from({ length: 30 }, () => records.query());
  await assertRecall({ actual: again.index.reader, model }, queries);
});
