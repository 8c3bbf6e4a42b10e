// The overview of a project: its indexes with their figures, and nothing of other projects.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import { createIndex } from '../indexes/create-index.ts';
import { ControlSurface } from '../testing/control-client.ts';
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
        queries: { count: 0, errors: 0, p50_ms: null, p99_ms: null },
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
