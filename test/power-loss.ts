// Power is lost at random moments of a mixed load: whatever of the unsynced changes is on the disk, everything
// acknowledged is there, nothing is half done, and nothing is reported as damaged.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertSameFolders } from './power-loss/compare-folders.ts';
import { LossyDisk, type NameOrder } from './power-loss/lossy-disk.ts';
import { SURVIVALS, type Survival } from './power-loss/lossy-file.ts';
import { compileRecorder, recorderEnvironment } from './power-loss/recorder.ts';
import { type Change, readRecording } from './power-loss/recording.ts';
import { allActivities, importEnvironment } from './support/crash/activities.ts';
import { effort } from './support/effort.ts';
import { Random } from './support/random.ts';
import { runCli } from './support/run-cli.ts';
import { newService, type Service } from './support/service.ts';

const SEED = Number(process.env.PINYON_POWER_SEED ?? 52);
const STATES = Number(process.env.PINYON_POWER_STATES ?? effort({ daily: 6, long: 200 }));
/** Starts of the recorded server. A job that more than three ends interrupt fails, and a loss is one of them. */
const ROUNDS = 2;
const WORK_MS = effort({ daily: 1_500, long: 10_000 });
const STATE_MS_MAX = 120_000;
const LOG_CHARS_TOLD = 1_000;
const ORDERS: readonly NameOrder[] = ['by folder', 'journal'];
/** Failed states are copied here. */
const { PINYON_POWER_KEEP: KEEP } = process.env;

interface Loss {
  readonly number: number;
  /** Changes before the loss. */
  readonly changes: number;
  readonly order: NameOrder;
  readonly survival: Survival;
}

const folder = mkdtempSync(join(tmpdir(), 'pinyon-power-'));
const library = compileRecorder(folder);
if (library === null) {
  process.stdout.write('SKIPPED: there is no C compiler, or this is not Linux; nothing was tested.\n');
  rmSync(folder, { recursive: true });
} else describe('power losses', () => powerLosses(library));

function powerLosses(recorder: string): void {
  const random = new Random(SEED);
  const files = join(folder, 'files');
  const activities = allActivities(random, files);
  const env = importEnvironment(files);
  const log = join(folder, 'changes');
  let service: Service;
  let root: string;
  let changes: readonly Change[];
  /** When there was something to lose. */
  let preparedAt = 0n;
  before(async () => {
    service = await newService();
    root = dirname(service.dataDir);
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('records every change of the server', async () => {
    const end = join(folder, 'end');
    const recorded = { env: { ...env, ...recorderEnvironment({ library: recorder, root, log, end }) } };
    const kill = async () => {
      writeFileSync(end, '');
      await service.process.ended();
      rmSync(end);
    };
    mkdirSync(files);
    for (let round = 0; round < ROUNDS; round++) {
      await service.start(recorded);
      if (round === 0) for (const activity of activities) await activity.prepare(service);
      if (round === 0) preparedAt = process.hrtime.bigint();
      const work = Promise.all(activities.map((activity) => activity.work()));
      await Promise.race([work, sleep(WORK_MS)]);
      await Promise.all([round % 2 === 0 ? kill() : service.stop(), work]);
    }
    changes = readRecording(log);
    const disk = new LossyDisk(root, 'journal');
    for (const change of changes) disk.apply(change);
    const copy = join(folder, 'copy');
    disk.writeCurrent(copy);
    assertSameFolders(root, copy, /(-shm|-lock)$/);
  });

  it('lose nothing acknowledged, and leave nothing that is reported as damaged', {
    timeout: STATES * STATE_MS_MAX,
  }, async (context) => {
    const failures: string[] = [];
    for (const order of ORDERS) {
      const disk = new LossyDisk(root, order);
      let applied = 0;
      for (const loss of losses(order)) {
        for (const change of changes.slice(applied, loss.changes)) disk.apply(change);
        applied = loss.changes;
        rmSync(service.dataDir, { recursive: true, force: true });
        disk.writeSurvivor(root, loss.survival, new Random(SEED * 1_000_003 + loss.number));
        const failure = await outcome(loss);
        if (failure !== null) failures.push(failure);
      }
    }
    const acknowledged = activities.map(({ name, acknowledged: count }) => `${name} ${count}`).join(', ');
    context.diagnostic(`${STATES} power losses in ${changes.length} changes; acknowledged: ${acknowledged}`);
    assert.deepEqual(failures, []);
  });

  /** In the order of time. */
  function losses(order: NameOrder): readonly Loss[] {
    return Array.from({ length: STATES }, (_, number) => ({
      number,
      changes: 1 + random.below(changes.length),
      order: ORDERS[number % ORDERS.length] ?? order,
      survival: random.pick(SURVIVALS),
    }))
      .filter((loss) => loss.order === order)
      .sort((a, b) => a.changes - b.changes);
  }

  /** What is wrong after the loss; null when nothing is. */
  async function outcome(loss: Loss): Promise<string | null> {
    const kept = join(folder, 'state');
    if (KEEP !== undefined) cpSync(root, kept, { recursive: true });
    try {
      await service.start({ env });
      const at = changes[loss.changes - 1]?.nanoseconds ?? 0n;
      if (at > preparedAt) for (const activity of activities) await activity.verify(at);
      await service.stop();
      const check = await runCli(['check'], { PINYON_DATA_DIR: service.dataDir });
      assert.equal(check.code, 0, check.out + check.err);
      return null;
    } catch (error) {
      if (KEEP !== undefined) cpSync(kept, join(KEEP, `loss-${loss.number}`), { recursive: true });
      const reason = error instanceof Error ? error.message : String(error);
      const last = service.process.log.slice(-LOG_CHARS_TOLD);
      return `loss ${loss.number} (${loss.survival}, names ${loss.order}) after ${loss.changes} changes: ${reason} ${last}`;
    } finally {
      await service.kill();
      if (KEEP !== undefined) rmSync(kept, { recursive: true, force: true });
    }
  }
}
