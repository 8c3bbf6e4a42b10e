// Guarantees of checks and of saving: damage is told with the ids of what is lost, and the rest is saved as it was.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import { sampleProfile } from '../conformance/sample-data.ts';
import type { StorableRecord } from '../port/reader-and-writer.ts';
import { openInProcess } from './in-process-index.ts';
import { Random } from './kernels/testing/hard-vectors.ts';
import { salvageIndex } from './salvage-index.ts';
import { checkIndex } from './storage/integrity/check-index.ts';
import { effort } from './testing/effort.ts';
import { tempFolder } from './testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 4, metric: 'euclidean' });
const RECORDS = 900;
const CASES = effort({ daily: 12, long: 300 });
const PAGE_BYTES = 4_096;
const NAMESPACES = ['', 'second', 'third'];

const QUIETLY = { onSaved: () => undefined, signal: new AbortController().signal };

const record = (id: string): StorableRecord => ({
  ...{ id, values: Float32Array.of(1, 2, 3, 4), sparse: null, metadataJson: null },
});

/** The records of an index by namespace and id. */
type Content = Map<string, StorableRecord>;

async function build(folder: string, random: Random): Promise<Content> {
  const index = openInProcess(PROFILE, folder);
  const content: Content = new Map();
  for (let round = 0; round < 3; round++)
    for (const namespace of NAMESPACES) {
      const records = Array.from({ length: RECORDS / NAMESPACES.length }, (_, i) => ({
        id: `${namespace}r${i}`,
        values: Float32Array.from({ length: 4 }, () => random.normal()),
        sparse: null,
        metadataJson: JSON.stringify({ i, note: 'x'.repeat(i % 40 === 0 ? 9_000 : 90) }),
      })).filter((_, i) => round === 0 || i % 5 === round);
      await index.writer.upsert(namespace, records);
      for (const record of records) content.set(`${namespace}/${record.id}`, record);
    }
  await index.writer.deleteIds('', ['r7', 'r8']);
  content.delete('/r7');
  content.delete('/r8');
  await index.close();
  return content;
}

async function read(folder: string): Promise<Content> {
  const index = openInProcess(PROFILE, folder);
  const content: Content = new Map();
  for (const { name } of (await index.reader.listNamespaces({ prefix: '', limit: 100, after: null })).items) {
    const { items } = await index.reader.listIds({ namespace: name, prefix: '', limit: 10_000, after: null });
    for (const { id, values, sparse, metadataJson } of await index.reader.fetch(name, items))
      content.set(`${name}/${id}`, { id, values, sparse, metadataJson });
  }
  await index.close();
  return content;
}

function check(folder: string, profile: IndexProfile = PROFILE): IndexCheck {
  const steps = checkIndex(folder, { indexId: profile.id, dimension: profile.dimension });
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

describe('a damaged index', async () => {
  const random = new Random(551);

  async function fixture(test: TestContext) {
    const base = tempFolder(test);
    const whole = join(base, 'whole', PROFILE.id);
    const content = await build(whole, random);
    return { base, whole, content };
  }

  it('is told apart from a whole one, which has nothing to tell', async (test) => {
    const { whole, content } = await fixture(test);
    const found = check(whole);
    assert.deepEqual(found.problems, []);
    assert.deepEqual(found.derived, []);
    assert.equal(
      found.namespaces.reduce((sum, { records }) => sum + records, 0),
      content.size,
    );
    assert.ok(found.namespaces.every(({ lost }) => lost === 0));
  });

  it('loses only what is told, and the rest is saved as it was', async (test) => {
    const { base, whole, content } = await fixture(test);
    for (let number = 0; number < CASES; number++) {
      const folder = join(base, `damaged-${number}`, PROFILE.id);
      cpSync(whole, folder, { recursive: true });
      const name = random.integer(3) === 0 ? 'rows.f32' : 'records.mdb';
      const path = join(folder, name);
      const bytes = readFileSync(path);
      const page = PAGE_BYTES * random.integer(Math.ceil(bytes.length / PAGE_BYTES));
      if (random.integer(2) === 0) bytes.fill(0, page, Math.min(bytes.length, page + PAGE_BYTES));
      else
        for (let i = 0; i < 4; i++)
          bytes[page + random.integer(Math.min(PAGE_BYTES, bytes.length - page))] = 0x5a;
      writeFileSync(path, bytes);
      const found = check(folder);
      const into = join(base, `saved-${number}`, PROFILE.id);
      const saved = await salvageIndex(PROFILE, folder, { into, ...QUIETLY });
      const kept = await read(into);
      assert.equal(kept.size, saved, `case ${number}`);
      const lost = found.namespaces.reduce((sum, each) => sum + each.lost, 0);
      assert.equal(saved + lost, content.size, `case ${number}: ${JSON.stringify(found.problems)}`);
      for (const [key, record] of kept) {
        const original = key.startsWith('lost-name') ? undefined : content.get(key);
        if (!key.startsWith('lost-name')) assert.deepEqual(record, original, `case ${number}, ${key}`);
      }
      const missing = [...content.keys()].filter((key) => !kept.has(key));
      const told = found.namespaces.flatMap(({ name, lostIds }) => lostIds.map((id) => `${name}/${id}`));
      assert.ok(
        told.every((key) => missing.includes(key)),
        `case ${number}`,
      );
      if (lost > 0 || found.problems.length > 0) assert.notDeepEqual(found.problems, []);
      assert.deepEqual(check(into).problems, []);
      rmSync(join(base, `damaged-${number}`), { recursive: true });
      rmSync(join(base, `saved-${number}`), { recursive: true });
    }
  });

  it('goes on with higher LSNs than any before, so that no client and no follower waits for it', async (test) => {
    const { base, whole } = await fixture(test);
    const lsnOf = async (folder: string) => {
      const index = openInProcess(PROFILE, folder);
      const lsn = await index.writer.upsert('later', [record('later')]);
      await index.close();
      return lsn;
    };
    const before = await lsnOf(whole);
    const into = join(base, 'saved', PROFILE.id);
    await salvageIndex(PROFILE, whole, { into, ...QUIETLY });
    assert.ok((await lsnOf(into)) > before);
    assert.deepEqual(check(into).problems, []);
  });

  it('is told when files are missing', async (test) => {
    const { whole } = await fixture(test);
    rmSync(join(whole, 'rows.f32'));
    const found = check(whole);
    assert.match(found.problems[0] ?? '', /rows\.f32: it cannot be opened/);
    assert.equal(
      found.namespaces.reduce((sum, { lostIds }) => sum + lostIds.length, 0),
      898,
    );
    rmSync(join(whole, 'records.mdb'));
    assert.match(check(whole).problems[0] ?? '', /records\.mdb is damaged: it is missing/);
    assert.ok(!existsSync(join(whole, 'records.mdb')), 'a check creates nothing');
  });

  it('is told when it is another index, or has vectors of another length', async (test) => {
    const { whole } = await fixture(test);
    const other = { ...PROFILE, id: '5e1f0000-0000-4000-8000-0000000000ff' };
    assert.match(check(whole, other).problems.join(), /belongs to another index/);
    assert.match(check(whole, { ...PROFILE, dimension: 8 }).problems.join(), /4 dimensions, expected 8/);
  });
});
