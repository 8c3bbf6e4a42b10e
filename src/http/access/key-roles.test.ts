// Every endpoint that accepts a key - control plane, data plane, inference, assistants - against every role that a key
// may have, as the contract's table says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DataRoute, EndpointDetails } from '../../api/endpoint.ts';
import { aliasEndpoints } from '../../api/rest/aliases/alias-endpoints.ts';
import { assistantEndpoints } from '../../api/rest/assistant-endpoints.ts';
import { controlEndpoints } from '../../api/rest/control-endpoints.ts';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import { bulkEndpoints } from '../../api/rest/import-export/bulk-endpoints.ts';
import { inferenceEndpoints } from '../../api/rest/inference-endpoints.ts';
import { judgmentEndpoints } from '../../api/rest/judgments/judgment-endpoints.ts';
import { mapEndpoints } from '../../api/rest/maps/map-endpoints.ts';
import { openAiEndpoints } from '../../api/rest/openai-endpoints.ts';
import { API_KEY_ROLES, type ApiKeyRole } from '../../domain/administration/roles.ts';
import { CREATED_AT } from '../testing/fakes.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';

const CONTROL_WRITERS: readonly ApiKeyRole[] = ['ProjectEditor', 'ControlPlaneEditor'];
const CONTROL_READERS: readonly ApiKeyRole[] = [...CONTROL_WRITERS, 'ProjectViewer', 'ControlPlaneViewer'];
const DATA_WRITERS: readonly ApiKeyRole[] = ['ProjectEditor', 'DataPlaneEditor'];
const DATA_READERS: readonly ApiKeyRole[] = [...DATA_WRITERS, 'ProjectViewer', 'DataPlaneViewer'];

/** The contract's table, inverted. */
const ALLOWED: Readonly<Record<string, readonly ApiKeyRole[]>> = {
  list_indexes: CONTROL_READERS,
  create_index: CONTROL_WRITERS,
  create_index_for_model: CONTROL_WRITERS,
  // Clients of the data plane learn an index's address from it.
  describe_index: API_KEY_ROLES,
  configure_index: CONTROL_WRITERS,
  delete_index: CONTROL_WRITERS,
  reembed_index: CONTROL_WRITERS,
  describe_reembedding: API_KEY_ROLES,
  start_model_change: CONTROL_WRITERS,
  describe_model_change: API_KEY_ROLES,
  compare_models: DATA_READERS,
  switch_model: CONTROL_WRITERS,
  revert_model: CONTROL_WRITERS,
  end_model_change: CONTROL_WRITERS,
  describe_time_to_live: API_KEY_ROLES,
  set_time_to_live: CONTROL_WRITERS,
  end_time_to_live: CONTROL_WRITERS,
  describe_recall: API_KEY_ROLES,
  set_recall: CONTROL_WRITERS,
  end_recall: CONTROL_WRITERS,
  describe_memory: API_KEY_ROLES,
  set_memory: CONTROL_WRITERS,
  end_memory: CONTROL_WRITERS,
  list_branches: DATA_READERS,
  create_branch: DATA_WRITERS,
  describe_branch: DATA_READERS,
  delete_branch: DATA_WRITERS,
  list_branch_differences: DATA_READERS,
  compare_branch: DATA_READERS,
  merge_branch: DATA_WRITERS,
  describe_branch_merge: DATA_READERS,
  describe_history: DATA_READERS,
  list_changes: DATA_READERS,
  read_changes: DATA_READERS,
  follow_changes: DATA_READERS,
  start_undo: DATA_WRITERS,
  describe_undo: DATA_READERS,
  check_index: CONTROL_WRITERS,
  describe_index_check: CONTROL_WRITERS,
  list_collections: CONTROL_READERS,
  create_collection: CONTROL_WRITERS,
  describe_collection: CONTROL_READERS,
  delete_collection: CONTROL_WRITERS,
  list_project_backups: CONTROL_READERS,
  list_index_backups: CONTROL_READERS,
  create_backup: CONTROL_WRITERS,
  describe_backup: CONTROL_READERS,
  delete_backup: CONTROL_WRITERS,
  create_index_from_backup_operation: CONTROL_WRITERS,
  list_restore_jobs: CONTROL_READERS,
  describe_restore_job: CONTROL_READERS,
  list_recoverable_indexes: CONTROL_READERS,
  describe_recoverable_index: CONTROL_READERS,
  start_recovery: CONTROL_WRITERS,
  list_recoveries: CONTROL_READERS,
  describe_recovery: CONTROL_READERS,
  list_backup_schedules: CONTROL_READERS,
  create_backup_schedule: CONTROL_WRITERS,
  describe_backup_schedule: CONTROL_READERS,
  update_backup_schedule: CONTROL_WRITERS,
  delete_backup_schedule: CONTROL_WRITERS,
  list_backup_schedule_history: CONTROL_READERS,
  read_overview: CONTROL_READERS,
  list_project_backup_schedules: CONTROL_READERS,
  describe_mcp_tools: API_KEY_ROLES,
  read_live_figures: CONTROL_READERS,
  follow_requests: DATA_READERS,
  upsert_vectors: DATA_WRITERS,
  query_vectors: DATA_READERS,
  fetch_vectors: DATA_READERS,
  fetch_vectors_by_metadata: DATA_READERS,
  list_vectors: DATA_READERS,
  update_vectors: DATA_WRITERS,
  delete_vectors: DATA_WRITERS,
  delete_vectors_by_query: DATA_WRITERS,
  describe_index_stats: DATA_READERS,
  get_index_stats: DATA_READERS,
  create_namespace: DATA_WRITERS,
  list_namespaces: DATA_READERS,
  describe_namespace: DATA_READERS,
  delete_namespace: DATA_WRITERS,
  create_namespace_alias: DATA_WRITERS,
  list_namespace_aliases: DATA_READERS,
  describe_namespace_alias: DATA_READERS,
  repoint_namespace_alias: DATA_WRITERS,
  delete_namespace_alias: DATA_WRITERS,
  upsert_records: DATA_WRITERS,
  search_records: DATA_READERS,
  browse_records: DATA_READERS,
  find_neighbors: DATA_READERS,
  compare_searches: DATA_READERS,
  describe_map: DATA_READERS,
  make_map: DATA_READERS,
  list_map_points: DATA_READERS,
  create_judgment_set: DATA_WRITERS,
  list_judgment_sets: DATA_READERS,
  describe_judgment_set: DATA_READERS,
  update_judgment_set: DATA_WRITERS,
  delete_judgment_set: DATA_WRITERS,
  judge_results: DATA_WRITERS,
  download_questions: DATA_READERS,
  upload_questions: DATA_WRITERS,
  score_judgment_set: DATA_READERS,
  upsert_documents: DATA_WRITERS,
  search_documents: DATA_READERS,
  fetch_documents: DATA_READERS,
  list_documents: DATA_READERS,
  update_documents: DATA_WRITERS,
  delete_documents: DATA_WRITERS,
  start_bulk_import: DATA_WRITERS,
  upload_bulk_import: DATA_WRITERS,
  list_bulk_imports: DATA_READERS,
  describe_bulk_import: DATA_READERS,
  cancel_bulk_import: DATA_WRITERS,
  list_bulk_import_errors: DATA_READERS,
  start_bulk_export: DATA_WRITERS,
  list_bulk_exports: DATA_READERS,
  describe_bulk_export: DATA_READERS,
  delete_bulk_export: DATA_WRITERS,
  download_bulk_export: DATA_READERS,
  embed: DATA_READERS,
  rerank: DATA_READERS,
  list_models: DATA_READERS,
  get_model: DATA_READERS,
  list_assistants: CONTROL_READERS,
  create_assistant: CONTROL_WRITERS,
  // Clients of files and chats learn their address from it.
  get_assistant: API_KEY_ROLES,
  update_assistant: CONTROL_WRITERS,
  delete_assistant: CONTROL_WRITERS,
  reembed_assistant: CONTROL_WRITERS,
  describe_assistant_reembedding: API_KEY_ROLES,
  list_files: DATA_READERS,
  upload_file: DATA_WRITERS,
  upsert_file: DATA_WRITERS,
  describe_file: DATA_READERS,
  find_passage: DATA_READERS,
  delete_file: DATA_WRITERS,
  list_operations: DATA_READERS,
  describe_operation: DATA_READERS,
  chat_assistant: DATA_READERS,
  chat_completion_assistant: DATA_READERS,
  context_assistant: DATA_READERS,
  metrics_alignment: DATA_READERS,
  create_chat_completion: DATA_READERS,
  create_embeddings: DATA_READERS,
  list_openai_models: DATA_READERS,
  retrieve_openai_model: DATA_READERS,
};

const ANSWERED = async () => ({ status: 200, body: {} });
const control = controlEndpoints.map((each) => ({ ...each, handle: ANSWERED }));
const inference = inferenceEndpoints.map((each) => ({ ...each, handle: ANSWERED }));
/** Links need no key. */
const assistant = assistantEndpoints
  .filter(({ kind }) => kind !== 'link')
  .map((each) => ({ ...each, handle: ANSWERED }));
const openai = openAiEndpoints.map((each) => ({ ...each, handle: ANSWERED }));
/** Without their preprocessors on the main thread, which read the request. */
const data: readonly DataRoute[] = dataEndpoints;
const bulk = [...bulkEndpoints, ...aliasEndpoints, ...mapEndpoints, ...judgmentEndpoints].map((each) => ({
  ...each,
  handle: ANSWERED,
}));

let server: Awaited<ReturnType<typeof startTestServer>>;
before(async () => {
  server = await startTestServer({
    settings: { drainSeconds: 1 },
    control,
    inference,
    assistant,
    openai,
    data,
    bulk,
  });
});
after(() => server.server.stop());

/** Gives project A's key these roles and no others. */
function setRoles(roles: readonly ApiKeyRole[]): void {
  const principal = { type: 'api_key', id: 'key-a' } as const;
  const details = {
    organizationId: 'org',
    principal,
    resourceType: 'project',
    resourceId: 'project-a',
  } as const;
  const bindings = API_KEY_ROLES.map((role) => ({
    ...details,
    id: `a-${role}`,
    role,
    createdAt: CREATED_AT,
  }));
  const first = { ...details, id: 'binding-a', role: 'ProjectEditor', createdAt: CREATED_AT } as const;
  for (const binding of [first, ...bindings]) server.principals.apply({ kind: 'binding-gone', binding });
  for (const binding of bindings) {
    if (roles.includes(binding.role)) server.principals.apply({ kind: 'binding', binding });
  }
}

async function ask({ method, path }: EndpointDetails, base: string) {
  const url = `${base}${path.replaceAll(/\{\w+\}/g, 'x')}`;
  const answer = await fetch(url, { method, headers: { 'api-key': KEY_A } });
  return { status: answer.status, body: await answer.json() };
}

/** In the form of the endpoint's part of the interface. */
function refusalOf({ permission, errors }: EndpointDetails): unknown {
  const message = `Access denied: Permission ${permission} is required`;
  if (errors === 'message') return { message };
  if (errors === 'openai') return { error: { message, type: 'permission_error', param: null, code: null } };
  return {
    ...{ status: 403, error: { code: 'PERMISSION_DENIED', message } },
    ...(errors !== 'standard' && { code: 7, message, details: [] }),
  };
}

test('covers every endpoint', () => {
  const ids = [...control, ...inference, ...assistant, ...openai, ...data, ...bulk].map(({ id }) => id);
  assert.deepEqual(ids.sort(), Object.keys(ALLOWED).sort());
});

for (const role of API_KEY_ROLES) {
  test(`allows ${role} what the table says, and nothing else`, async () => {
    setRoles([role]);
    for (const [endpoints, base] of [
      [control, server.base],
      [inference, server.base],
      [assistant, server.base],
      [openai, server.base],
      [[...data, ...bulk], server.indexBase],
    ] as const) {
      for (const endpoint of endpoints) {
        const { status, body } = await ask(endpoint, base);
        if (ALLOWED[endpoint.id]?.includes(role)) {
          assert.equal(status, 200, endpoint.id);
          continue;
        }
        assert.deepEqual(body, refusalOf(endpoint), endpoint.id);
        assert.equal(status, 403);
      }
    }
  });
}

test('adds roles up, and recognizes a key without any, which may do nothing', async () => {
  const given = ['ControlPlaneViewer', 'DataPlaneEditor'] as const;
  setRoles(given);
  for (const endpoint of control) {
    const isAllowed = given.some((role) => ALLOWED[endpoint.id]?.includes(role));
    assert.equal((await ask(endpoint, server.base)).status, isAllowed ? 200 : 403, endpoint.id);
  }
  for (const endpoint of [...data, ...bulk])
    assert.equal((await ask(endpoint, server.indexBase)).status, 200);
  setRoles([]);
  for (const endpoint of control) assert.equal((await ask(endpoint, server.base)).status, 403);
});

test('keeps a refused request from every handler, whatever its body, and logs its denial once', async () => {
  setRoles(['DataPlaneViewer']);
  server.denials.length = 0;
  server.executor.calls.length = 0;
  const url = `${server.indexBase}/vectors/upsert`;
  const answer = await fetch(url, { method: 'POST', headers: { 'api-key': KEY_A }, body: '{' });
  assert.equal(answer.status, 403);
  assert.equal(server.executor.calls.length, 0);
  const [denial, ...more] = server.denials;
  assert.deepEqual(more, []);
  assert.deepEqual(
    { ...denial, at: '' },
    {
      organizationId: 'org',
      at: '',
      actor: { type: 'api_key', id: 'key-a', requestId: answer.headers.get('x-request-id') },
      action: 'upsert_vectors',
      resourceType: 'project',
      resourceId: 'project-a',
      details: { reason: 'permission-denied', permission: 'data_plane::vectors::write' },
    },
  );
});

test("hides another project's index, and shows the attempt to the organization", async () => {
  setRoles(['ProjectEditor']);
  const port = await server.openIndex({ id: 'b-index', projectId: 'project-b' });
  server.denials.length = 0;
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: { 'api-key': KEY_A } });
  assert.equal((await ask('/query')).status, 404);
  const { actor, details } = server.denials[0] ?? {};
  assert.equal(actor?.id, 'key-a');
  assert.equal(details?.reason, 'unknown-host');
});
