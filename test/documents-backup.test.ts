// Backups of document indexes: restored, they serve every document call. Namespaces and statistics count documents.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ask, DocumentIndex, type Json } from './support/document-index.ts';
import { type Service, startService } from './support/service.ts';
import { found } from './support/until.ts';

const FIELDS = {
  title: { type: 'string', full_text_search: { language: 'en', stemming: true } },
  embedding: { type: 'dense_vector', dimension: 2, metric: 'dotproduct' },
  terms: { type: 'sparse_vector' },
};
const DOCUMENTS = [
  {
    _id: 'a',
    title: 'Apples of the orchard',
    embedding: [1, 0],
    terms: { indices: [1], values: [1] },
    year: 1,
  },
  { _id: 'b', title: 'An electric car', embedding: [0, 1], year: 2, tags: ['x', 'y'] },
  { _id: 'c', embedding: [0.5, 0.5], isOld: true },
];

describe('backups of document indexes', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  it('restore schema and documents, and serve all six calls, also after a restart', async () => {
    const books = await DocumentIndex.create(service, 'books', FIELDS);
    await books.upsert(DOCUMENTS);
    await books.upsert(DOCUMENTS.slice(0, 1), 'few');
    const backupId = await backedUp('books');
    const { schema } = await ask(service.url, 'GET', '/indexes/books');
    await ask(service.url, 'DELETE', '/indexes/books');
    await ask(service.url, 'POST', `/backups/${backupId}/create-index`, { name: 'again' });
    await DocumentIndex.ready(service, 'again');
    await service.restart();
    const again = await DocumentIndex.ready(service, 'again');
    assert.deepEqual((await ask(service.url, 'GET', '/indexes/again')).schema, schema);
    await servesAll(again);
    assert.deepEqual(Object.keys(await again.all('few')), ['a']);
  });

  it('show the schema of the index, as describing it does', async () => {
    const { schema } = await ask(service.url, 'GET', '/indexes/again');
    const backupId = await backedUp('again');
    const backup = await ask(service.url, 'GET', `/backups/${backupId}`);
    assert.deepEqual(backup.schema, schema);
    assert.equal(backup.dimension, 2);
  });

  it('count documents in statistics and namespaces', async () => {
    const notes = await DocumentIndex.create(service, 'notes', {
      text: { type: 'string', full_text_search: {} },
    });
    await notes.upsert([
      { _id: '1', text: 'one' },
      { _id: '2', text: 'two' },
    ]);
    await notes.upsert([{ _id: '1', text: 'other' }], 'other');
    const stats = await ask(notes.host, 'POST', '/describe_index_stats', {});
    assert.deepEqual(stats.namespaces, { __default__: { vectorCount: 2 }, other: { vectorCount: 1 } });
    assert.equal(stats.totalVectorCount, 3);
    assert.ok(!('dimension' in stats));
    const other = await ask(notes.host, 'GET', '/namespaces/other');
    assert.equal(String(other.record_count), '1');
    await ask(notes.host, 'DELETE', '/namespaces/other');
    assert.deepEqual(await notes.matching('other', 'other'), []);
    const withVectors = await DocumentIndex.ready(service, 'again');
    assert.equal((await ask(withVectors.host, 'POST', '/describe_index_stats', {})).dimension, 2);
  });

  async function backedUp(name: string): Promise<string> {
    const { backup_id } = await ask(service.url, 'POST', `/indexes/${name}/backups`, { name: 'all' });
    return found(async () => {
      const { status } = await ask(service.url, 'GET', `/backups/${backup_id}`);
      return status === 'Ready' ? String(backup_id) : undefined;
    });
  }

  async function servesAll(index: DocumentIndex): Promise<void> {
    assert.deepEqual(await index.all(), Object.fromEntries(DOCUMENTS.map((each) => [each._id, each])));
    // Stemmed as the schema says.
    assert.deepEqual(await index.matching('apple'), ['a']);
    assert.deepEqual(await index.matching('title:electric'), ['b']);
    assert.deepEqual(await searched(index, { type: 'dense_vector', field: 'embedding', values: [1, 0] }), [
      'a',
      'c',
      'b',
    ]);
    const sparse = { indices: [1], values: [2] };
    assert.deepEqual(
      await searched(index, { type: 'sparse_vector', field: 'terms', sparse_values: sparse }),
      ['a'],
    );
    const { documents } = await index.documents('list', {});
    assert.deepEqual(documents, [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }]);
    await index.documents('update', { documents: [{ _id: 'b', title: 'A pear' }] });
    assert.deepEqual([await index.matching('electric'), await index.matching('pear')], [[], ['b']]);
    await index.documents('delete', { ids: ['b'] });
    await index.upsert([{ _id: 'd', title: 'pears', embedding: [1, 1] }]);
    assert.deepEqual(await index.matching('pear'), ['d']);
  }

  async function searched(index: DocumentIndex, clause: Json): Promise<readonly unknown[]> {
    const { matches } = await index.documents('search', { score_by: [clause], top_k: 5 });
    return (matches as readonly Json[]).map(({ _id }) => _id);
  }
});
