// Monitoring over the wire, as Prometheus does it: with the key as a bearer token, and without a version header.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const METRICS_KEY = 'ring3-metrics-0123456789abcdefghijkl';
const BEARER = { authorization: `Bearer ${API_KEY}` };

describe('metrics', () => {
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService({
      env: { PINYON_REQUIRE_VERSION_HEADER: 'true', PINYON_METRICS_KEY: METRICS_KEY },
    });
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const body = { name: 'films', dimension: 2, metric: 'cosine', spec };
    const created = await service.call('POST', '/indexes', { body, version: '2025-10' });
    assert.equal(created.status, 201);
    host = (created.body as { readonly host: string }).host;
  });
  after(() => service.dispose());

  const send = (path: string, body: unknown) =>
    call(host, 'POST', path, { key: API_KEY, version: '2025-10', body });
  const scrape = () => call(service.url, 'GET', '/metrics', { headers: BEARER });
  const sampleOf = (text: string, name: string, labels = '') => {
    const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(labels));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
  };

  it('count the operations of an index since the start, and its records', async () => {
    await send('/vectors/upsert', { vectors: [{ id: 'a', values: [1, 0] }] });
    await send('/query', { vector: [1, 0], topK: 1 });
    await send('/query', { vector: [1, 0], topK: 0 });
    const { status, headers, text } = await scrape();
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.equal(sampleOf(text, 'pinecone_db_record_total', 'index_name="films"'), 1);
    assert.ok((sampleOf(text, 'pinecone_db_storage_size_bytes') ?? 0) > 0);
    assert.equal(sampleOf(text, 'pinecone_db_op_upsert_count'), 1);
    assert.equal(sampleOf(text, 'pinecone_db_op_query_count'), 2);
    assert.equal(sampleOf(text, 'pinyon_request_errors_total', 'status="400"'), 1);
    assert.equal(sampleOf(text, 'pinyon_request_duration_seconds_count', 'operation="query"'), 2);
    assert.equal(sampleOf(text, 'pinyon_overloads_total'), 0);
  });

  it('count the jobs behind requests by kind and state', async () => {
    const { body } = await service.call('POST', '/indexes/films/backups', { body: {}, version: '2025-10' });
    assert.ok((body as { readonly backup_id?: string }).backup_id);
    const { text } = await scrape();
    assert.equal(sampleOf(text, 'pinyon_jobs', 'kind="archive"'), 1);
    assert.equal(sampleOf(text, 'pinyon_job_failures_total', 'kind="archive"'), 0);
  });

  it('show the operator the machine and the age of backups, by a key that opens nothing else', async () => {
    const headers = { authorization: `Bearer ${METRICS_KEY}` };
    await until(async () => {
      const { text } = await call(service.url, 'GET', '/metrics', { headers });
      return (sampleOf(text, 'pinyon_newest_backup_timestamp_seconds', 'index_name="films"') ?? 0) > 0;
    }, 'the backup is counted');
    const { text } = await call(service.url, 'GET', '/metrics', { headers });
    assert.match(text, /^pinyon_build_info{version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+"} 1$/m);
    assert.match(text, /^pinyon_disk_free_bytes \d+$/m);
    assert.match(text, /^process_open_fds \d+$/m);
    assert.equal(sampleOf(text, 'pinecone_db_record_total', 'project_id="'), 1);
    const other = { key: METRICS_KEY, version: '2025-10' };
    assert.equal((await call(service.url, 'GET', '/indexes', other)).status, 401);
    assert.doesNotMatch((await scrape()).text, /pinyon_build_info/);
  });

  it('consist of comments and samples of the text format', async () => {
    const { text } = await scrape();
    const sample = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*",?)*\})? ([\d.e+-]+|\+Inf)$/;
    for (const line of text.trimEnd().split('\n')) {
      assert.ok(line.startsWith('# HELP ') || line.startsWith('# TYPE ') || sample.test(line), line);
    }
  });

  it('are discovered by the key for its own project only', async () => {
    for (const end of ['discover', 'discovery']) {
      const path = `/prometheus/projects/none/metrics/${end}`;
      assert.equal((await call(service.url, 'GET', path, { headers: BEARER })).status, 404);
      assert.equal((await call(service.url, 'GET', path)).status, 401);
    }
  });

  it('require a key', async () => {
    assert.equal((await call(service.url, 'GET', '/metrics')).status, 401);
    const wrong = { authorization: 'Bearer pcsk_wrong' };
    assert.equal((await call(service.url, 'GET', '/metrics', { headers: wrong })).status, 401);
  });
});
