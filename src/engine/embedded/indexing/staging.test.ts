// Staged namespaces are invisible, then published or dropped all at once, whatever others write meanwhile.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../domain/faults.ts';
import { assertSameState } from '../../conformance/compare-with-model.ts';
import { dense, sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import type { StorableRecord } from '../../port/reader-and-writer.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { exportInProcess, importInProcess } from '../in-process-copies.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { CAPABILITIES } from '../storage/capabilities.ts';
import { stagedName } from '../storage/staged-names.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ metric: 'euclidean' });
const SCHEMA = { fields: { year: { filterable: true as const } } };
const OWNERS = ['first', 'second'];
const NAMES = ['', 'a', 'b'];

function open(test: Pick<TestContext, 'after'>): InProcessIndex {
  const index = openInProcess(PROFILE, join(tempFolder(test), 'index'));
  test.after(() => index.close());
  return index;
}

type Step =
  | { readonly kind: 'write'; readonly owner: string | null; readonly name: string; readonly ids: string[] }
  | { readonly kind: 'publish'; readonly owner: string }
  | { readonly kind: 'drop'; readonly owner: string }
  | { readonly kind: 'remove'; readonly name: string };

const owner = fc.constantFrom(...OWNERS);
const name = fc.constantFrom(...NAMES);
const ids = fc.array(fc.constantFrom(...'abcdef'), { minLength: 1, maxLength: 4 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('write' as const), owner: fc.option(owner), name, ids }),
    fc.record({ kind: fc.constant('publish' as const), owner }),
    fc.record({ kind: fc.constant('drop' as const), owner }),
    fc.record({ kind: fc.constant('remove' as const), name }),
  ),
  { maxLength: 25 },
);

/** The reference model, and beside it what each owner has not published. */
class Model {
  readonly index = new ReferenceIndex(PROFILE);
  readonly #staged = new Map<string, Map<string, Map<string, StorableRecord>>>();
  #count = 0;

  /** Another number each time. */
  next(): number {
    return ++this.#count;
  }

  stage(owner: string, name: string, records: readonly StorableRecord[]): void {
    const namespaces = this.#staged.get(owner) ?? new Map<string, Map<string, StorableRecord>>();
    const held = namespaces.get(name) ?? new Map<string, StorableRecord>();
    for (const record of records) held.set(record.id, record);
    this.#staged.set(owner, namespaces.set(name, held));
  }

  drop(owner: string): void {
    this.#staged.delete(owner);
  }

  async publish(owner: string): Promise<void> {
    for (const [name, held] of this.#staged.get(owner) ?? []) {
      const theirs = new Set((await this.index.fetch(name, [...held.keys()])).map(({ id }) => id));
      const mine = [...held.values()].filter(({ id }) => !theirs.has(id));
      if (mine.length > 0) await this.index.upsert(name, mine);
    }
    this.drop(owner);
  }

  /** By owner and name. */
  counts(): readonly (readonly [string, string, number])[] {
    return [...this.#staged].flatMap(([owner, namespaces]) =>
      [...namespaces].map(([name, held]) => [owner, name, held.size] as const),
    );
  }
}

async function run(step: Step, { writer }: InProcessIndex, model: Model): Promise<void> {
  if (step.kind === 'remove') {
    if ((await model.index.describeNamespace(step.name)) === null) return;
    for (const side of [writer, model.index]) await side.deleteNamespace(step.name);
  } else if (step.kind === 'publish') {
    await writer.staging.publish(step.owner);
    await model.publish(step.owner);
  } else if (step.kind === 'drop') {
    await writer.staging.drop(step.owner);
    model.drop(step.owner);
  } else {
    const records = step.ids.map((id) => dense(id, [model.next(), 1, 2, 3], { by: step.owner ?? 'others' }));
    await writer.upsert(step.owner === null ? step.name : stagedName(step.owner, step.name), records);
    if (step.owner === null) await model.index.upsert(step.name, records);
    else model.stage(step.owner, step.name, records);
  }
}

for (const directRecordsMax of [0, 300]) {
  it(`shows, counts and copies only published namespaces, whatever is staged (${directRecordsMax})`, async (test) => {
    let runs = 0;
    const root = tempFolder(test);
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const folder = join(root, String(++runs));
        const index = openInProcess(PROFILE, folder, { directRecordsMax });
        const model = new Model();
        try {
          for (const step of all) {
            await run(step, index, model);
            // Brings namespaces into memory, so that publishing meets them there.
            for (const namespace of NAMES) {
              const query = sampleQuery({ namespace, values: Float32Array.of(1, 1, 2, 3) });
              const matches = await index.reader.query(query);
              assert.deepEqual(
                matches.map(({ id }) => id),
                (await model.index.query(query)).map(({ id }) => id),
              );
            }
          }
          await assertSameState(index.reader, model.index);
          const staged = index.writer.staging.list();
          const counts = staged.map(({ owner, name, recordCount }) => [owner, name, recordCount]);
          assert.deepEqual(new Set(counts.map(String)), new Set(model.counts().map(String)));
          const copy = exportInProcess({ profile: PROFILE, folder, index });
          assert.equal(copy.recordCount, index.parts.files.store.namespaces.recordTotal());
          const places = { aside: `${folder}-aside`, folder: `${folder}-copy` };
          await importInProcess(PROFILE, copy.bytes, places);
          const made = openInProcess(PROFILE, places.folder, { directRecordsMax });
          await assertSameState(made.reader, model.index).finally(() => made.close());
        } finally {
          await index.close();
        }
      }),
      { seed: 29, numRuns: 12 },
    );
  });
}

it('publishes namespaces with their schemas, empty ones too, but keeps a schema that others have set', async (test) => {
  const index = open(test);
  await index.writer.staging.stage('job', [
    { name: 'empty', schema: null },
    { name: 'mine', schema: SCHEMA },
    { name: 'theirs', schema: SCHEMA },
  ]);
  const given = { fields: { genre: { filterable: true as const } } };
  await index.writer.createNamespace('theirs', given);
  assert.equal(await index.reader.describeNamespace('mine'), null);
  await index.writer.staging.publish('job');
  const schemas = await Promise.all(
    ['empty', 'mine', 'theirs'].map(async (each) => (await index.reader.describeNamespace(each))?.schema),
  );
  assert.deepEqual(schemas, [null, SCHEMA, given]);
});

it('rejects publishing where others have written more records than can be merged, and names the namespace', async (test) => {
  const index = open(test);
  for (const each of ['a', 'b'])
    await index.writer.upsert(stagedName('job', each), [dense('x', [1, 0, 0, 0])]);
  const many = Array.from({ length: CAPABILITIES.mergedRecordsMax + 1 }, (_, i) =>
    dense(`r${i}`, [i, 1, 1, 1]),
  );
  await index.writer.upsert('b', many);
  await assert.rejects(
    index.writer.staging.publish('job'),
    (error) => error instanceof Fault && error.condition === 'namespace-exists',
  );
  assert.equal(await index.reader.describeNamespace('a'), null);
  assert.equal(index.parts.files.store.namespaces.recordTotal(), many.length);
  await index.writer.deleteIds('b', ['r0']);
  await index.writer.staging.publish('job');
  assert.equal((await index.reader.describeNamespace('b'))?.recordCount, many.length);
});

it('keeps staged namespaces over a restart, and publishes them unchanged', async (test) => {
  const folder = join(tempFolder(test), 'index');
  const index = openInProcess(PROFILE, folder);
  await index.writer.upsert(stagedName('job', 'ns'), [dense('x', [1, 2, 3, 4], { n: 1 })]);
  await index.close();
  const again = openInProcess(PROFILE, folder);
  test.after(() => again.close());
  assert.deepEqual(await again.reader.fetch('ns', ['x']), []);
  await again.writer.staging.publish('job');
  await again.writer.staging.publish('job');
  const [record] = await again.reader.fetch('ns', ['x']);
  assert.deepEqual([...(record?.values ?? [])], [1, 2, 3, 4]);
});
