// A long random mix of writes, searches and restarts never diverges from the reference model, and memory stays flat.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../../domain/index-model.ts';
import { sampleProfile } from '../../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { type InProcessIndex, type InProcessOptions, openInProcess } from '../../in-process-index.ts';
import { effort } from '../effort.ts';
import { RECALL_PROMISED } from '../recall.ts';
import { tempFolder } from '../temp-folder.ts';
import { checkQuery, checkState, Recall } from './soak-checks.ts';
import { SoakRecords } from './soak-records.ts';
import { outcomeOf, randomWrite, refill, type SoakNamespace, type SoakWrite } from './soak-writes.ts';

/** For a night: PINYON_SOAK_ROUNDS=2000 */
const ROUNDS = Number(process.env.PINYON_SOAK_ROUNDS ?? effort({ daily: 25, long: 100 }));
const SEED = Number(process.env.PINYON_SOAK_SEED ?? 41);
const ROUND_MS_MAX = 5_000;
const QUERIES_A_ROUND = 2;
const WRITES_AT_ONCE = 4;
/** Rounds between queries of graphs that are whole; at other times they are in the making. */
const SETTLED_EVERY = 3;
/** Rounds between looks at everything that is stored, and between reopenings, on average. */
const STATE_EVERY = 15;
const REOPEN_EVERY = 20;

/** Graphs from 500 records on; queries walk them when a scan would take longer. */
const RECORDS = 1_600;
const RECORDS_WALKED = 6_000;

interface Kind extends InProcessOptions {
  readonly name: string;
  readonly profile: IndexProfile;
  readonly recordsMax?: number;
  /** No result may be lost, not even one. */
  readonly isExact?: boolean;
}

const DIMENSION = 24;
const KINDS: readonly Kind[] = [
  {
    name: 'cosine',
    profile: sampleProfile({ metric: 'cosine', dimension: DIMENSION }),
    recordsMax: RECORDS_WALKED,
    directRecordsMax: 0,
  },
  {
    name: 'euclidean, in several memories that are too small',
    profile: sampleProfile({ metric: 'euclidean', dimension: DIMENSION }),
    framesMax: 40,
    arenasMax: 3,
    coldAfterSeconds: 0,
  },
  { name: 'hybrid', profile: sampleProfile({ metric: 'dotproduct', dimension: DIMENSION }) },
  {
    name: 'sparse',
    profile: sampleProfile({ metric: 'dotproduct', vectorType: 'sparse', dimension: null }),
    directRecordsMax: 0,
    isExact: true,
  },
];

describe('a soak', { timeout: ROUNDS * ROUND_MS_MAX }, () => {
  for (const kind of KINDS) {
    it(`diverges in nothing from the model: ${kind.name}`, (test) => soak(test, kind));
  }
});

async function soak(test: TestContext, kind: Kind): Promise<void> {
  const { profile, isExact = false, recordsMax = RECORDS } = kind;
  const spaces: readonly SoakNamespace[] = [
    { namespace: '', ids: recordsMax },
    { namespace: 'middle', ids: 700 },
    { namespace: 'small', ids: 40 },
  ];
  // The large one is asked most: graphs are walked there.
  const queried = [...spaces, ...spaces.slice(0, 1), ...spaces.slice(0, 1)];
  const folder = tempFolder(test);
  const model = new ReferenceIndex(profile);
  const records = new SoakRecords(profile, SEED);
  const recall = new Recall();
  let index: InProcessIndex | undefined;
  const open = () =>
    openInProcess(profile, folder, {
      maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
      saveIdleMs: 50,
      ...kind,
    });
  test.after(() => index?.close());
  for (let round = 0; round < ROUNDS; round++) {
    index ??= open();
    const opened = index;
    const space = records.pick(spaces);
    const isEmpty = (await model.describeNamespace(space.namespace)) === null;
    const count = isEmpty ? 1 : 1 + records.random.integer(WRITES_AT_ONCE);
    const writes = Array.from({ length: count }, () =>
      isEmpty ? refill(records, space) : randomWrite(records, space),
    );
    const outcomes: unknown[] = [];
    for (const group of together(writes))
      outcomes.push(...(await Promise.all(group.map((write) => outcomeOf(opened.writer, write)))));
    const expected: unknown[] = [];
    for (const write of writes) expected.push(await outcomeOf(model, write));
    const description = `round ${round}: ${writes.map((write) => write.name).join(', ')}`;
    assert.deepEqual(outcomes, expected, description);
    const sides = { actual: opened.reader, model };
    if (records.random.integer(SETTLED_EVERY) === 0) await opened.parts.loaded.settled();
    for (let i = 0; i < QUERIES_A_ROUND; i++)
      await checkQuery(sides, records.query(records.pick(queried).namespace), recall);
    if (records.random.integer(STATE_EVERY) === 0)
      await checkState(sides, space.namespace, [records.filter(), records.narrowFilter()]);
    if (records.random.integer(REOPEN_EVERY) === 0) {
      await opened.close();
      index = undefined;
    }
  }
  index ??= open();
  for (const { namespace } of spaces)
    await checkState({ actual: index.reader, model }, namespace, [records.filter(), records.narrowFilter()]);
  test.diagnostic(`${recall.queries} queries, ${recall.walked} walked, recall ${recall.share.toFixed(4)}`);
  assert.ok(recall.share >= (isExact ? 1 : RECALL_PROMISED), `recall ${recall.share}`);
}

/** Writes that are begun at once. Other writes may come between the steps of a change by filter, so it has its own group. */
function together(writes: readonly SoakWrite[]): readonly (readonly SoakWrite[])[] {
  const groups: SoakWrite[][] = [];
  for (const [at, write] of writes.entries()) {
    const last = groups.at(-1);
    if (last === undefined || write.isByFilter || writes[at - 1]?.isByFilter === true) groups.push([write]);
    else last.push(write);
  }
  return groups;
}
