// The server is killed again and again while records, documents, indexes, graphs, backups, imports, files and
// re-embedding are under way: nothing acknowledged is lost, nothing is half done, and everything goes on.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { allActivities, importEnvironment } from './support/crash/activities.ts';
import { GraphGroups } from './support/crash/graph-groups.ts';
import { Reembedding } from './support/crash/reembedding.ts';
import { tellOfCycle } from './support/cycles.ts';
import { effort } from './support/effort.ts';
import { Random } from './support/random.ts';
import { runCli } from './support/run-cli.ts';
import { newService, type Service } from './support/service.ts';

const SEED = Number(process.env.PINYON_KILLS_SEED ?? 18);
const KILLS = Number(process.env.PINYON_KILLS ?? effort({ daily: 4, long: 1_000 }));
/** A job that is interrupted more often than three times fails, which is no loss, but would test less. */
const KILLS_A_COMPARISON = 2;
const WORK_MS_MIN = 200;
const WORK_MS_MAX = effort({ daily: 2_500, long: 4_000 });
/** In a quarter of the kills, the server is just starting. */
const START_MS_MAX = 1_500;
const KILL_MS_MAX = 60_000;

describe('a server that is killed again and again', () => {
  const random = new Random(SEED);
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-kills-'));
  let reembedding: Reembedding;
  let service: Service;
  before(async () => {
    reembedding = await Reembedding.open();
    service = await newService();
  });
  after(async () => {
    await service.dispose();
    reembedding.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps everything acknowledged, and goes on with everything it had begun', {
    timeout: (KILLS + 2) * KILL_MS_MAX,
  }, async (context) => {
    mkdirSync(join(folder, 'files'));
    const files = join(folder, 'files');
    const activities = [...allActivities(random, files), new GraphGroups(random), reembedding];
    const environment = (start: number) => ({
      ...importEnvironment(files),
      ...reembedding.environmentOf(start),
      // Every other time, indexes close and open all the time.
      ...(start % 2 === 0 && { PINYON_OPEN_INDEXES_MAX: '2', PINYON_INDEX_IDLE_SECONDS: '1' }),
    });
    await service.start({ env: environment(0) });
    for (const activity of activities) await activity.prepare(service);
    let whileStarting = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const work = Promise.all(activities.map((activity) => activity.work()));
      await Promise.race([work, sleep(WORK_MS_MIN + random.below(WORK_MS_MAX - WORK_MS_MIN))]);
      await Promise.all([service.kill(), work]);
      // The provider of a model changes once everything is re-embedded.
      const env = environment(Math.floor(kill / KILLS_A_COMPARISON));
      const isComparing = kill % KILLS_A_COMPARISON === 0;
      if (isComparing && random.below(2) === 0 && kill + 1 < KILLS) {
        const starting = service.run({ env });
        await sleep(random.below(START_MS_MAX));
        await starting.end('SIGKILL');
        kill++;
        whileStarting++;
      }
      await service.start({ env });
      const isLast = kill + 1 >= KILLS;
      if (isLast || isComparing) {
        const at = process.hrtime.bigint();
        for (const activity of activities) await activity.verify(at);
      }
      tellOfCycle(kill);
    }
    await service.stop();
    const check = await runCli(['check'], { PINYON_DATA_DIR: service.dataDir });
    assert.equal(check.code, 0, check.out + check.err);
    const counts = activities.map(({ name, acknowledged }) => `${name} ${acknowledged}`).join(', ');
    context.diagnostic(`${KILLS} kills, ${whileStarting} of them while it started; acknowledged: ${counts}`);
  });
});
