// Guarantee: keeping checksums takes a small share of the writer's thread, however long a round is.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilTurn } from '../../../platform/testing/until.ts';
import { closeFiles, openForWriting } from '../storage/index-files.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { IntegrityUpkeep } from './integrity-upkeep.ts';

const SEAL_MS = 5;
const SLICES = 4;
const SLICE_MS = 25;

test('begins no round of checksums within 20 times what the last one took', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const folder = join(tempFolder(context), 'index');
  const files = openForWriting(folder, 3);
  let nowMs = 0;
  let [rounds, ended] = [0, 0];
  const sealed = {
    isCurrent: () => false,
    *seal() {
      rounds++;
      for (let slice = 1; slice <= SLICES; slice++) {
        nowMs += SLICE_MS;
        yield slice;
      }
      ended++;
    },
  };
  const upkeep = new IntegrityUpkeep(
    { store: files.store, sealed },
    {
      onDamage: assert.fail,
      warn: (trouble) => assert.fail(String(trouble)),
      sealMs: SEAL_MS,
      now: () => nowMs,
    },
  );
  const roundsLater = async (ms: number) => {
    nowMs += ms;
    context.mock.timers.tick(SEAL_MS);
    await untilTurn(() => ended === rounds, 'the round');
    // What follows its end.
    await new Promise(setImmediate);
    return rounds;
  };
  assert.equal(await roundsLater(0), 1);
  assert.equal(await roundsLater(SLICES * SLICE_MS * 19), 1);
  assert.equal(await roundsLater(SLICES * SLICE_MS), 2);
  await upkeep.close();
  await closeFiles(files);
});
