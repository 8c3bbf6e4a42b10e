// After a crash between any two turns of the event loop, files and change log restore what the records say.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Random } from '../../kernels/testing/hard-vectors.ts';
import { effort } from '../effort.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import { crashFixture, FILTERS, load, type Opened } from './fixture.ts';

const SEEDS = Number(process.env.HOSTILE_SEEDS ?? 1);
const FIRST_SEED = Number(process.env.HOSTILE_FIRST_SEED ?? 1);
const OPERATIONS = effort({ daily: 40, long: 120 });
const CRASHES_MAX = effort({ daily: 3, long: 14 });
const NAMES = ['a', 'b'];

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
  for (const framesMax of [2_000, 44]) {
    it(`loses and revives nothing in crashes at random moments (seed ${seed}, arenas of ${framesMax} frames)`, async (test) => {
      test.mock.method(process, 'emitWarning', () => {});
      const random = new Random(seed);
      const { records, open, crash, close } = crashFixture(test, {
        framesMax,
        saveIdleMs: 1,
        coldAfterSeconds: -1,
        maintenanceLimits: { graphRecordsMin: 300, unindexedSlotsMin: 32 },
      });
      const run = open();
      const crashes: string[] = [];
      // Also right after the commits of the keeper of files.
      const submit = run.index.writer.submit.bind(run.index.writer);
      test.mock.method(run.index.writer, 'submit', async (steps: Parameters<typeof submit>[0]) => {
        await submit(steps);
        if (crashes.length < CRASHES_MAX && random.integer(4) === 0) crashes.push(crash(run));
      });
      const known = new Map<string, number>(NAMES.map((name) => [name, 0]));
      const pending: Promise<unknown>[] = [];
      const turns = async (count: number) => {
        for (let i = 0; i < count; i++) await new Promise(setImmediate);
      };
      const act = (name: string) => {
        const { writer, parts } = run.index;
        const count = known.get(name) ?? 0;
        const ids = (many: number) => Array.from({ length: many }, () => `r${random.integer(count + 1)}`);
        const kind = random.integer(20);
        if (kind < 7 || count < 600) {
          const many = kind === 0 ? 1_500 : 1 + random.integer(200);
          known.set(name, count + many);
          return writer.upsert(name, records.records(count, many));
        }
        if (kind < 10)
          return writer.upsert(
            name,
            [...new Set(ids(100))].map((id) => records.record(id)),
          );
        if (kind < 13) return writer.deleteIds(name, ids(1 + random.integer(300)));
        if (kind < 15)
          return writer.update(name, {
            id: ids(1)[0] ?? '',
            values: null,
            sparse: null,
            setMetadata: { slice: 7 },
          });
        if (kind === 15) {
          known.set(name, 0);
          return writer.deleteNamespace(name);
        }
        if (kind === 16) {
          for (let i = 0; i < 70; i++)
            pending.push(
              writer.update(name, {
                id: ids(1)[0] ?? '',
                values: null,
                sparse: null,
                setMetadata: { slice: i },
              }),
            );
          return writer.submit(() => {
            throw new Error('an operation fails');
          });
        }
        if (kind === 17 && parts.loaded.lastUsed < Infinity) {
          parts.memory.empty();
          return load(run, records, name);
        }
        return load(run, records, name);
      };
      for (let i = 0; i < OPERATIONS; i++) {
        const name = NAMES[random.integer(NAMES.length)] ?? '';
        pending.push(act(name).catch(() => {}));
        if (random.integer(4) === 0) await turns(random.integer(30));
        if (random.integer(12) === 0) await run.index.parts.loaded.settled();
        if (crashes.length < CRASHES_MAX && random.integer(12) === 0) crashes.push(crash(run));
      }
      await Promise.all(pending);
      await check(run);
      await close(run);
      for (const name of crashes) {
        const again = open(name);
        await check(again);
        await close(again);
      }
      async function check(opened: Opened): Promise<void> {
        const where = opened.folder.split('/').at(-1);
        try {
          // One may have to leave memory for the other.
          for (const name of NAMES) {
            await load(opened, records, name);
            await opened.index.parts.loaded.settled();
            assertMemoryIsRecords(opened.index.parts, FILTERS);
            for (const segment of opened.index.parts.loaded.segments()) assertGraphIsSound(segment);
          }
        } catch (error) {
          assert.fail(`${where}: ${String(error instanceof Error ? error.message : error)}`);
        }
      }
    });
  }
}
