// The overview of a project: its indexes with their figures, and nothing of other projects.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OWNER, STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import { createIndex } from '../indexes/create-index.ts';
import { ControlSurface } from '../testing/control-client.ts';
import { followRequests } from './follow-requests.ts';
import { readLiveFigures } from './read-live-figures.ts';
import { readOverview } from './read-overview.ts';

const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };

let surface: ControlSurface;

before(async () => {
  surface = await ControlSurface.make();
  await surface.call(createIndex, { body: { name: 'films', dimension: 2, spec } });
});
after(() => surface.dispose());

test('shows indexes with their figures, jobs and warnings', async () => {
  const { body } = await surface.call(readOverview);
  assert.deepEqual(body, {
    indexes: [
      {
        ...{ name: 'films', kind: 'vectors', vector_type: 'dense', dimension: 2, metric: 'cosine' },
        ...{ model: null, state: 'Ready', record_count: 3, disk_bytes: 4_096, memory_bytes: 0 },
        queries: {
          ...{ count: 0, errors: 0, p50_ms: null, p99_ms: null },
          ...{ expected_recall: null, audited_recall: null, promised_recall: null },
          ...{ audited_recall_low: null, audited_recall_high: null },
        },
      },
    ],
    jobs: [],
    warnings: ['a warning'],
  });
});

test('shows no index of another project', async () => {
  const { body } = await surface.call(readOverview, { access: STRANGER });
  assert.deepEqual((body as { indexes: unknown }).indexes, []);
});

test('shows figures of an index minute by minute, and of no other project', async () => {
  const [index] = await surface.indexes.list(OWNER);
  surface.series.add(index?.id ?? '', 'query_vectors', { status: 200, milliseconds: 2 });
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const { body } = await surface.call(readLiveFigures, { query: { index_name: 'films', minutes: '3' } });
  const { queries } = body as { queries: readonly number[] };
  assert.deepEqual([queries.length, sum(queries)], [3, 1]);
  const other = await surface.call(readLiveFigures, { access: STRANGER, query: { minutes: '3' } });
  assert.equal(sum((other.body as { queries: readonly number[] }).queries), 0);
  const foreign = surface.call(readLiveFigures, { access: STRANGER, query: { index_name: 'films' } });
  await assert.rejects(foreign, /films/);
});

test('sends requests as server-sent events that continue after a number', async () => {
  const request = {
    at: '',
    method: 'POST',
    route: '/query',
    status: 400,
    reason: 'a\nb',
    ms: 1,
    index: 'films',
  };
  surface.requests.add(OWNER.projectId, { ...request, principalId: 'key', requestId: 'r1' });
  surface.requests.add(OWNER.projectId, { ...request, principalId: 'key', requestId: 'r2' });
  const { body } = await surface.call(followRequests, { query: { seconds: '1', after: '1' } });
  const [event = ''] = String(body).split('\n\n');
  assert.match(event, /^id: 2\nevent: request\ndata: \{.*"reason":"a\\nb".*"request_id":"r2"\}$/);
});

test('continues after any number that counts of requests may reach', async () => {
  for (const after of ['1000000000', `${Number.MAX_SAFE_INTEGER}`])
    await surface.call(followRequests, { query: { seconds: '0', after } });
  const beyond = surface.call(followRequests, { query: { seconds: '0', after: '9007199254740992' } });
  await assert.rejects(beyond, /after must be an integer from 0 to 9007199254740991/);
});
