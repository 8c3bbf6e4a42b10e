// An installation changes its engine by portable backups: from the embedded one to PostgreSQL, and back.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { call } from '../support/call.ts';
import { ask, DocumentIndex, type Json } from '../support/document-index.ts';
import { API_KEY, newService, type Service } from '../support/service.ts';
import { found, until } from '../support/until.ts';
import { whyNoPgvector } from './pgvector.ts';
import { startPostgres, whyNotHere } from './server.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const CLASSIC = Array.from({ length: 700 }, (_, at) => ({
  id: `r${at}`,
  values: [at, 1, 2],
  metadata: { at },
}));
const SPARSE = [
  { id: 'a', sparseValues: { indices: [1, 4_294_967_295], values: [0.5, -2] } },
  { id: 'b', sparseValues: { indices: [7], values: [1] }, metadata: { genre: 'ä' } },
];
const DOCUMENTS = [
  { _id: 'a', title: 'Apples of the orchard', embedding: [1, 0], terms: { indices: [1], values: [1] } },
  { _id: 'b', title: 'An electric car', embedding: [0, 1], year: 2 },
];
const FIELDS = {
  title: { type: 'string', full_text_search: { language: 'en', stemming: true } },
  embedding: { type: 'dense_vector', dimension: 2, metric: 'dotproduct' },
  terms: { type: 'sparse_vector' },
};
const TEXTS = [
  { _id: 't1', chunk_text: 'The library opens at nine.', page: 1 },
  { _id: 't2', chunk_text: 'Books about the sea.' },
];
const SAME_DIGITS = 5;
const NAMES = ['classic', 'sparse', 'documents', 'integrated'] as const;

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  describe('portable backups of an installation', () => {
    let service: Service;
    let common: Readonly<Record<string, string>>;
    before(async () => {
      common = { PINYON_DATABASE_URL: await server.newDatabase(), PINYON_BACKUP_FORM: 'portable' };
      service = await newService();
    });
    after(async () => {
      await service.dispose();
      await server.stop();
    });

    it('move classic, sparse, document and integrated indexes to PostgreSQL and back, answers unchanged', async () => {
      await service.start({ env: common });
      await fill(service);
      const answers = await answersOf(service);
      for (const engine of ['postgres', 'embedded']) {
        const backups = await backUpAndDelete(service);
        await service.restart({ env: { ...common, PINYON_ENGINE: engine } });
        for (const [name, id] of backups) {
          await ask(service.url, 'POST', `/backups/${id}/create-index`, { name });
          await DocumentIndex.ready(service, name);
        }
        assert.deepEqual(await answersOf(service), answers, engine);
      }
    });

    it('say why a fast backup of the embedded engine cannot be restored on PostgreSQL', async () => {
      await service.restart({ env: { ...common, PINYON_BACKUP_FORM: 'fast' } });
      const backups = await backUpAndDelete(service);
      await service.restart({ env: { ...common, PINYON_ENGINE: 'postgres' } });
      const { restore_job_id: job } = await ask(
        service.url,
        'POST',
        `/backups/${backups.get('classic')}/create-index`,
        { name: 'refused' },
      );
      const failed = await found(async () => {
        const shown = await ask(service.url, 'GET', `/restore-jobs/${String(job)}`);
        return shown.status === 'Failed' ? shown : undefined;
      });
      assert.match(String(failed.error), /only the embedded engine reads.*PINYON_BACKUP_FORM=portable/);
    });
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

async function fill(service: Service): Promise<void> {
  const classic = await service.createIndex({ name: 'classic', dimension: 3, metric: 'euclidean' });
  await post(classic, '/vectors/upsert', { vectors: CLASSIC });
  await post(classic, '/vectors/upsert', { vectors: CLASSIC.slice(0, 5), namespace: 'few' });
  const sparse = await service.createIndex({
    name: 'sparse',
    vector_type: 'sparse',
    metric: 'dotproduct',
    spec: SPEC,
  });
  await post(sparse, '/vectors/upsert', { vectors: SPARSE });
  await (await DocumentIndex.create(service, 'documents', FIELDS)).upsert(DOCUMENTS);
  const embed = { model: 'llama-text-embed-v2', field_map: { text: 'chunk_text' } };
  const body = { name: 'integrated', cloud: 'aws', region: 'us-east-1', embed };
  const made = await service.call('POST', '/indexes/create-for-model', { body });
  assert.equal(made.status, 201, made.text);
  const lines = TEXTS.map((each) => JSON.stringify(each)).join('\n');
  const written = await call((made.body as { host: string }).host, 'POST', '/records/namespaces/n/upsert', {
    key: API_KEY,
    body: lines,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(written.status, 201, written.text);
}

async function post(host: string, path: string, body: unknown): Promise<Json> {
  const answer = await call(host, 'POST', path, { key: API_KEY, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Json;
}

/** What callers see of all four, without what says where it ran. */
async function answersOf(service: Service): Promise<readonly Json[]> {
  const hosts = new Map<string, string>();
  for (const name of NAMES) hosts.set(name, (await DocumentIndex.ready(service, name)).host);
  const host = (name: string) => hosts.get(name) ?? '';
  const whole = { includeValues: true, includeMetadata: true };
  return [
    await post(host('classic'), '/query', { vector: [3, 1, 2], topK: 20, ...whole }),
    await post(host('classic'), '/query', { vector: [3, 1, 2], topK: 20, filter: { at: { $gte: 100 } } }),
    await post(host('sparse'), '/query', { sparseVector: { indices: [1], values: [1] }, topK: 5, ...whole }),
    await post(host('classic'), '/describe_index_stats', {}),
    await new DocumentIndex('documents', host('documents')).all(),
    rounded(
      await post(host('integrated'), '/records/namespaces/n/search', {
        query: { inputs: { text: 'opening hours of the library' }, top_k: 2 },
      }),
    ),
  ];
}

/** The engines add up cosines in another order: their last digits differ, and the length of the answer with them. */
function rounded({ result }: Json): Json {
  const text = JSON.stringify(result, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(SAME_DIGITS)) : value,
  );
  return JSON.parse(text) as Json;
}

async function backUpAndDelete(service: Service): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const name of NAMES) {
    const { backup_id: id } = await ask(service.url, 'POST', `/indexes/${name}/backups`, { name });
    await until(async () => (await ask(service.url, 'GET', `/backups/${String(id)}`)).status === 'Ready');
    ids.set(name, String(id));
    await ask(service.url, 'DELETE', `/indexes/${name}`);
    await until(async () => (await service.call('GET', `/indexes/${name}`)).status === 404);
  }
  return ids;
}
