// The conformance suite of the catalog port, which every implementation runs in its test file.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { Fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import type { Catalog } from '../port.ts';
import { describeAliases } from './aliases.ts';
import { describeArchives } from './archives.ts';
import { describeIdentities } from './identities.ts';
import { describeJudgmentSets } from './judgment-sets.ts';
import { describeOrganizations } from './organizations.ts';
import { describePeople } from './people.ts';
import { describePrincipals } from './principals.ts';

/** Opens a catalog on lasting state: `open` after `close` finds earlier data. */
export interface CatalogUnderTest {
  open(): Promise<Catalog>;
  /** Removes the state. */
  dispose(): Promise<void>;
}

const CREATED_AT = '2026-01-01T00:00:00.000Z';
const ORGANIZATION = { id: 'organization-1', name: 'Home', createdAt: CREATED_AT };
const PROJECT = {
  id: 'project-1',
  organizationId: 'organization-1',
  name: 'Default',
  maxPods: 0,
  forceEncryptionWithCmek: false,
  createdAt: CREATED_AT,
};
const OTHER_PROJECT = { ...PROJECT, id: 'project-2', name: 'Other', createdAt: '2026-01-02T00:00:00.000Z' };

/** An index row for tests; its project is in every suite's catalog. */
export const SAMPLE_INDEX: Index = {
  id: 'index-1',
  projectId: PROJECT.id,
  name: 'books',
  vectorType: 'dense',
  metric: 'cosine',
  dimension: 3,
  deployment: {
    kind: 'serverless',
    cloud: 'aws',
    region: 'us-east-1',
    readCapacity: { mode: 'OnDemand' },
    metadataSchema: { fields: { genre: { filterable: true } } },
    sourceCollection: null,
  },
  state: 'Ready',
  deletionProtection: 'disabled',
  tags: { team: 'search', é: '"quoted"' },
  port: 5081,
  createdAt: CREATED_AT,
  embed: {
    model: 'words',
    textField: 'chunk_text',
    writeParameters: { input_type: 'passage', truncate: 'END' },
    readParameters: { input_type: 'query', truncate: 'END' },
    source: { provider: 'built-in', revision: '1' },
    remaking: null,
  },
  documents: null,
};

const POD_INDEX: Index = {
  ...SAMPLE_INDEX,
  embed: null,
  documents: {
    fields: {
      title: {
        kind: 'string',
        description: 'A title',
        storeText: true,
        fullText: { language: 'en', stemming: true, stopWords: false, ngram: null },
        embed: null,
        sparseEmbed: null,
      },
    },
  },
  id: 'index-2',
  name: 'archive',
  dimension: null,
  vectorType: 'sparse',
  metric: 'dotproduct',
  tags: {},
  port: null,
  deployment: {
    kind: 'pod',
    environment: 'us-east1-gcp',
    podType: 'p1.x1',
    replicas: 2,
    shards: 1,
    metadataIndexed: ['genre'],
    sourceCollection: null,
  },
};

/** Adds the rows that other rows refer to. */
export async function seedProjects(catalog: Catalog): Promise<void> {
  const { administration } = catalog;
  await administration.organizations.create(ORGANIZATION, SYSTEM);
  await administration.projects.create(OTHER_PROJECT, SYSTEM);
  await administration.projects.create(PROJECT, SYSTEM);
}

export function describeCatalog(name: string, make: () => Promise<CatalogUnderTest>): void {
  describe(`catalog port: ${name}`, () => {
    let subject: CatalogUnderTest;
    let catalog: Catalog;

    before(async () => {
      subject = await make();
      catalog = await subject.open();
      await seedProjects(catalog);
    });

    after(async () => {
      await catalog.close();
      await subject.dispose();
    });

    async function reopen(): Promise<void> {
      await catalog.close();
      catalog = await subject.open();
    }

    test('reads a setting back as last written, and null before', async () => {
      assert.equal(await catalog.settings.get('greeting'), null);
      await catalog.settings.set('greeting', 'hello');
      await catalog.settings.set('greeting', "it's; drop table settings");
      await reopen();
      assert.equal(await catalog.settings.get('greeting'), "it's; drop table settings");
    });

    test('refuses a row that names a missing project', async () => {
      await assert.rejects(
        catalog.indexes.insert({ ...SAMPLE_INDEX, id: 'lost', projectId: 'nobody', port: null }),
      );
      assert.deepEqual(await catalog.indexes.list(), []);
    });

    test('reads indexes back whole and in name order', async () => {
      await catalog.indexes.insert(SAMPLE_INDEX);
      await catalog.indexes.insert(POD_INDEX);
      await reopen();
      assert.deepEqual(await catalog.indexes.list(), [POD_INDEX, SAMPLE_INDEX]);
    });

    test('gives a name once per project, whatever the state of the index', async () => {
      await catalog.indexes.update(SAMPLE_INDEX.id, (index) => ({ ...index, state: 'Terminating' }));
      const twin = { ...SAMPLE_INDEX, id: 'index-3', port: 5090 };
      await assert.rejects(
        catalog.indexes.insert(twin),
        (error) => error instanceof Fault && error.condition === 'name-taken',
      );
      assert.ok(!(await catalog.indexes.portGrants()).some((grant) => grant.port === 5090));
      await catalog.indexes.insert({ ...twin, projectId: OTHER_PROJECT.id });
      await catalog.indexes.delete(twin.id);
    });

    test('lets exactly one of many concurrent inserts of a name win', async () => {
      const attempts = Array.from({ length: 20 }, (_, at) =>
        catalog.indexes.insert({ ...SAMPLE_INDEX, id: `race-${at}`, name: 'race', port: null }),
      );
      const outcomes = await Promise.allSettled(attempts);
      assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
      const rows = (await catalog.indexes.list()).filter((index) => index.name === 'race');
      assert.equal(rows.length, 1);
      await catalog.indexes.delete(rows[0]?.id ?? '');
    });

    test('changes an index as it is stored, and nothing without a row or where the change throws', async () => {
      const { id } = SAMPLE_INDEX;
      const changed: Index = { ...SAMPLE_INDEX, deletionProtection: 'enabled', tags: {}, dimension: 4 };
      assert.deepEqual(await catalog.indexes.update(id, () => changed), changed);
      const ghost = () => ({ ...SAMPLE_INDEX, id: 'ghost', name: 'ghost', port: 5099 });
      assert.equal(await catalog.indexes.update('ghost', ghost), null);
      assert.equal(await catalog.indexes.retire('ghost', () => true), null);
      const refuse = () => {
        throw new Fault('invalid-argument', 'no');
      };
      await assert.rejects(catalog.indexes.update(id, refuse), /no/);
      await assert.rejects(catalog.indexes.retire(id, refuse), /no/);
      assert.deepEqual(await catalog.indexes.retire(id, () => false), changed);
      await reopen();
      assert.deepEqual(await catalog.indexes.list(), [POD_INDEX, changed]);
    });

    test('ends an index in Initializing that no active job fills, and no other', async () => {
      const index = { ...SAMPLE_INDEX, id: 'index-unfilled', name: 'unfilled', port: null };
      const job = { id: 'job-fill', kind: 'restore', projectId: PROJECT.id, subject: 's', input: {} };
      const stored = async () => (await catalog.indexes.list()).find(({ id }) => id === index.id)?.state;
      assert.equal(await catalog.indexes.endUnfilled(index.id), null);
      await catalog.indexes.insert({ ...index, state: 'Ready' });
      assert.equal((await catalog.indexes.endUnfilled(index.id))?.state, 'Ready');
      await catalog.indexes.update(index.id, (each) => ({ ...each, state: 'Initializing' }));
      await catalog.jobs.insert({ ...job, indexId: index.id, createdAt: CREATED_AT });
      assert.equal((await catalog.indexes.endUnfilled(index.id))?.state, 'Initializing');
      const now = new Date().toISOString();
      const lease = { owner: 'one', now, leaseUntil: '2999-01-01T00:00:00.000Z' };
      const claimed = await catalog.jobs.claim({ ...lease, kinds: [job.kind] });
      assert.equal(claimed?.id, job.id);
      assert.equal((await catalog.indexes.endUnfilled(index.id))?.state, 'Initializing');
      await catalog.jobs.release(job.id, 'one', { kind: 'completed' }, now);
      assert.equal((await catalog.indexes.endUnfilled(index.id))?.state, 'Terminating');
      assert.equal(await stored(), 'Terminating');
      await catalog.indexes.delete(index.id);
    });

    test('loses none of many changes of an index at once', async () => {
      const { id } = SAMPLE_INDEX;
      const names = Array.from({ length: 20 }, (_, at) => `tag-${at}`);
      const tag = (name: string) => (index: Index) => ({ ...index, tags: { ...index.tags, [name]: 'x' } });
      await Promise.all(names.map((name) => catalog.indexes.update(id, tag(name))));
      const stored = (await catalog.indexes.list()).find((index) => index.id === id);
      assert.deepEqual(Object.keys(stored?.tags ?? {}).toSorted(), names.toSorted());
    });

    test('keeps port grants after their index is deleted, longest unused first, with the time', async () => {
      await catalog.indexes.delete(SAMPLE_INDEX.id);
      const next = { ...SAMPLE_INDEX, id: 'index-4', name: 'letters', port: 5082 };
      const started = Date.now();
      await catalog.indexes.insert(next);
      await catalog.indexes.retire(next.id, () => true);
      await catalog.indexes.delete(next.id);
      await catalog.indexes.insert({ ...next, id: 'index-5', name: 'maps', port: 5081 });
      await reopen();
      const grants = await catalog.indexes.portGrants();
      const retiredAt = grants.find(({ port }) => port === 5082)?.retiredAt ?? '';
      assert.ok(Date.parse(retiredAt) >= started && Date.parse(retiredAt) <= Date.now(), retiredAt);
      assert.deepEqual(
        grants.filter((grant) => grant.projectId === PROJECT.id),
        [
          { port: 5082, projectId: PROJECT.id, indexName: 'letters', retiredAt },
          { port: 5081, projectId: PROJECT.id, indexName: 'maps', retiredAt: null },
        ],
      );
    });

    describeArchives(() => catalog, SAMPLE_INDEX);
    describeAliases(() => catalog, { ...SAMPLE_INDEX, id: 'index-aliased', name: 'aliased', port: null });
    describeJudgmentSets(() => catalog, { ...SAMPLE_INDEX, id: 'index-judged', name: 'judged', port: null });
    describeOrganizations(() => catalog.administration);
    describePrincipals(() => catalog.administration);
    describePeople(() => catalog.administration);
    describeIdentities(() => catalog.administration);

    test('never shares a port between two indexes', async () => {
      await assert.rejects(
        catalog.indexes.insert({ ...SAMPLE_INDEX, id: 'index-6', name: 'twins', port: 5081 }),
      );
    });
  });
}
