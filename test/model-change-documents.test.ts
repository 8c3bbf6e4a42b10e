// A document index gets another model for one of its fields while it answers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const NAMESPACE = '/namespaces/n/documents';
const PATH = '/indexes/docs/model-change';
const DOCUMENTS = 30;

describe('a document index whose models are changed', () => {
  let service: Service;
  let host: string;

  const control = (method: string, path: string, body?: object) =>
    call(service.url, method, path, { key: API_KEY, ...(body && { body }) });
  const documents = async (action: string, body: object) => {
    const answer = await call(host, 'POST', `${NAMESPACE}/${action}`, { key: API_KEY, body });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const first = async (type: string, query: string) => {
    const body = { score_by: [{ type, fields: ['summary'], query }], top_k: 1 };
    const found = (await documents('search', body)) as { readonly matches: readonly { _id: string }[] };
    return found.matches[0]?._id;
  };
  const change = async (method: string, path = '', body?: object) => {
    const answer = await control(method, `${PATH}${path}`, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body as {
      readonly state: string;
      readonly changes_pending: number;
      readonly answering: { readonly models: readonly string[]; readonly dimension: number };
    };
  };
  const ready = () =>
    until(async () => {
      const { state, changes_pending: pending } = await change('GET');
      return state === 'Ready' && pending === 0;
    }, 'the new vectors follow');
  const document = (number: number, summary = `summary of subject ${number}`) => ({
    _id: `d${number}`,
    title: `title ${number}`,
    summary,
    n: number,
  });

  before(async () => {
    service = await startService({});
    const fields = {
      title: { type: 'string', full_text_search: {} },
      summary: { type: 'string', embed: { model: 'llama-text-embed-v2', dimension: 384 }, sparse_embed: {} },
    };
    const deployment = { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' };
    const made = await control('POST', '/indexes', { name: 'docs', deployment, schema: { fields } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    host = (made.body as { readonly host: string }).host;
    await documents('upsert', { documents: Array.from({ length: DOCUMENTS }, (_, n) => document(n)) });
  });
  after(() => service.dispose());

  it('replaces the dense model of a field by one of another dimension, with every write since, and back', async () => {
    await change('POST', '', { model: 'multilingual-e5-large' });
    await ready();
    await documents('upsert', { documents: [document(900, 'a giraffe in the garden')] });
    await documents('delete', { ids: ['d3'] });
    assert.equal(await first('embed', 'a giraffe in the garden'), 'd900');
    const compared = await control('POST', `${PATH}/compare`);
    assert.equal(compared.status, 200, JSON.stringify(compared.body));
    const { answering } = await change('POST', '/switch');
    assert.deepEqual(answering.models, ['multilingual-e5-large', 'pinecone-sparse-english-v0']);
    assert.equal(answering.dimension, 1024);
    for (const type of ['embed', 'sparse_embed', 'text']) {
      assert.equal(await first(type, 'summary of subject 17'), 'd17', type);
      assert.equal(await first(type, 'a giraffe in the garden'), 'd900', type);
    }
    await documents('update', { documents: [{ _id: 'd5', summary: 'a zebra' }] });
    await change('POST', '/revert');
    assert.equal(await first('embed', 'a zebra'), 'd5');
    await change('POST', '/switch');
    await change('DELETE');
    const { body } = await call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
    const { dimension, totalVectorCount } = body as { dimension: number; totalVectorCount: number };
    assert.deepEqual([dimension, totalVectorCount], [1024, DOCUMENTS]);
  });

  it('replaces the sparse model of a field beside dense vectors of any metric', async () => {
    await change('POST', '', { model: 'bm25-english' });
    await ready();
    const { answering } = await change('POST', '/switch');
    assert.deepEqual(answering.models, ['multilingual-e5-large', 'bm25-english']);
    assert.equal(await first('sparse_embed', 'summary of subject 17'), 'd17');
    assert.equal(await first('embed', 'summary of subject 17'), 'd17');
    await change('DELETE');
  });

  it('answers each of several switches at once, and of several ends', async () => {
    await change('POST', '', { model: 'llama-text-embed-v2', dimension: 512 });
    await ready();
    const answers = await Promise.all([1, 2, 3].map(() => change('POST', '/switch')));
    assert.deepEqual(
      answers.map(({ state, answering }) => [state, answering.dimension]),
      answers.map(() => ['Switched', 512]),
    );
    const ends = await Promise.all([1, 2].map(() => control('DELETE', PATH)));
    assert.ok(ends.every(({ status }) => status === 202 || status === 404));
    assert.equal((await control('GET', PATH)).status, 404);
    assert.equal(await first('embed', 'summary of subject 17'), 'd17');
  });

  it('makes new vectors also where the model stays and only the dimension changes', async () => {
    await change('POST', '', { model: 'llama-text-embed-v2', dimension: 384 });
    await ready();
    const compared = await control('POST', `${PATH}/compare`);
    assert.equal(compared.status, 200, JSON.stringify(compared.body));
    assert.equal((await change('POST', '/switch')).answering.dimension, 384);
    await change('DELETE');
    assert.equal(await first('embed', 'summary of subject 17'), 'd17');
    await service.restart();
    assert.equal(await first('embed', 'summary of subject 17'), 'd17');
  });

  it('completes a backup that was requested before the vectors in it stopped answering', async () => {
    await change('POST', '', { model: 'multilingual-e5-large' });
    await ready();
    const made = await control('POST', '/indexes/docs/backups', { name: 'before' });
    const { backup_id: id } = made.body as { readonly backup_id: string };
    await change('POST', '/switch');
    await until(async () => {
      const { status } = await control('DELETE', PATH);
      assert.ok(status === 202 || status === 412, `${status}`);
      return status === 202;
    }, 'the change is ended');
    const { body } = await control('GET', `/backups/${id}`);
    const { status, dimension } = body as { readonly status: string; readonly dimension: number };
    assert.deepEqual([status, dimension], ['Ready', 384]);
  });
});
