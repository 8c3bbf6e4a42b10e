// Guarantees of scores of judgment sets, which take long: a caller that loses its rights meanwhile finds and changes
// nothing more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import type { BulkServices } from '../../api/rest/import-export/bulk-endpoint.ts';
import { judgmentEndpoints } from '../../api/rest/judgments/judgment-endpoints.ts';
import { JudgmentService } from '../../app/judgments/judgment-service.ts';
import { seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import type { RoleBinding } from '../../domain/administration/model.ts';
import { profileOf } from '../../domain/index-model.ts';
import type { JsonObject } from '../../domain/json.ts';
import { ReferenceIndex } from '../../engine/reference/reference-index.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { CREATED_AT, fakeIndex, memoryCatalog } from '../testing/fakes.ts';
import { KEY_A, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const PROJECT_IDS = { a: 'project-1', b: 'project-2' };
const INDEX = fakeIndex({ id: 'index-1', projectId: PROJECT_IDS.a });
const QUESTION = { id: 'a', judgments: [{ id: 'b', grade: 3 }] };

const keyGone = ({ principals }: TestServer) =>
  principals.apply({ kind: 'principal-gone', principal: { type: 'api_key', id: 'key-a' } });
const indexGone = ({ directory }: TestServer) => directory.ports.clear();

/** In place of the role that the key had. */
function onlyRole(role: RoleBinding['role']) {
  return ({ principals }: TestServer) => {
    const principal = { type: 'api_key', id: 'key-a' } as const;
    const grant = { resourceType: 'project', resourceId: PROJECT_IDS.a, role } as const;
    const binding = { id: 'binding-a', organizationId: 'org', principal, createdAt: CREATED_AT, ...grant };
    principals.apply({ kind: 'binding', binding });
  };
}

for (const { title, change, searches, expected } of [
  {
    title: 'ends before its next search once its key is deleted',
    change: keyGone,
    searches: 2,
    expected: 401,
  },
  {
    title: 'is neither answered nor kept once its key is deleted',
    change: keyGone,
    searches: 1,
    expected: 401,
  },
  {
    title: 'ends before its next search once its key may not read',
    ...{ change: onlyRole('ControlPlaneViewer'), searches: 2, expected: 403 },
  },
  {
    title: 'is answered and not kept once its key may only read',
    ...{ change: onlyRole('DataPlaneViewer'), searches: 1, expected: 200 },
  },
  { title: 'ends with its index', change: indexGone, searches: 2, expected: 404 },
])
  test(`a score ${title}`, async (context) => {
    const catalog = await memoryCatalog();
    context.after(() => catalog.close());
    await seedProjects(catalog);
    await catalog.indexes.insert(INDEX);
    const store = new ReferenceIndex(profileOf(INDEX));
    await store.createNamespace('n', null);
    const engine = { reader: () => store };
    const judgments = new JudgmentService({ catalog, engine, sharedAliases: () => undefined });
    const { id } = await judgments.create(INDEX, { name: 'set', namespace: 'n', questions: [QUESTION] });
    const server = await startTestServer({
      ...{ projectIds: PROJECT_IDS, bulk: judgmentEndpoints, data: dataEndpoints },
      bulkServices: { ...untouched<BulkServices>(), judgments },
    });
    context.after(() => server.server.stop());
    const port = await server.openIndex(INDEX);
    server.executor.answer = async () => {
      change(server);
      return { status: 200, headers: {}, body: '{"result":{"hits":[]}}' };
    };

    const configurations = Array.from({ length: searches }, (): JsonObject => ({}));
    const answer = await fetch(`http://127.0.0.1:${port}/judgment-sets/${id}/score`, {
      method: 'POST',
      headers: { 'api-key': KEY_A, 'content-type': 'application/json', 'x-pinecone-api-version': '2026-07' },
      body: JSON.stringify({ configurations }),
    });

    assert.equal(answer.status, expected, await answer.text());
    assert.equal(server.executor.calls.length, 1);
    assert.deepEqual((await judgments.describe(INDEX.id, id)).scores, []);
  });
