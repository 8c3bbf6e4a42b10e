// The example of each operation in the OpenAPI documents works as written: the service answers it with the documented
// success, in the version of the document, and refuses it with any part beyond a bound that the document names.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService } from './support/admin.ts';
import { effort } from './support/effort.ts';
import { visitAdministration, visitConsole } from './support/openapi-administration.ts';
import { Tour } from './support/openapi-tour.ts';
import { until } from './support/until.ts';

const ALL = ['2024-04', '2024-07', '2024-10', '2025-01', '2025-04', '2025-10', '2026-04', '2026-07'];
const VERSIONS = effort({ daily: ['2026-07'], long: ALL });

/** Of a tour: the oldest document names the fewest bounds. */
const REFUSALS_MIN = 100;

/** Operations that other tests send, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start_bulk_import: 'needs files in a bucket: import.test.ts',
  upload_bulk_import: 'needs a file: import-upload.test.ts',
  describe_bulk_import: 'needs an import',
  cancel_bulk_import: 'needs an import',
  list_bulk_import_errors: 'needs an import',
  delete_organization: 'would end the tour: admin.test.ts',
  read_linked_file: 'needs no example: assistants-sdk-9.test.ts',
  show_invite: 'a page for browsers',
  set_password: 'needs the token of a person: people.test.ts',
  begin_provider_sign_in: 'needs an OpenID provider: oidc.test.ts',
  return_from_provider: 'a redirect for browsers: oidc.test.ts',
  ...Object.fromEntries(
    [
      'list_nodes',
      'update_node',
      'delete_node',
      'move_index',
      'describe_index_move',
      'move_assistant',
      'describe_assistant_move',
    ].map((id) => [id, 'needs several nodes: postgres/real-mixed.ts']),
  ),
  start_recovery: 'needs a recovery log: index-recovery.test.ts',
  describe_recovery: 'needs a recovery',
  accept_invite: 'follows a link: sent below without its example',
};

describe('examples of the OpenAPI documents', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start();
  });
  after(() => admin.dispose());

  for (const version of VERSIONS) {
    it(`are answered as documented in ${version}, and refused beyond its bounds`, async () => {
      const tour = new Tour(admin, version);
      const { data } = await admin.body<{ data: { id: string }[] }>('GET', '/projects');
      await tour.run('discover_metrics', { path: { project_id: data[0]?.id ?? '' } });
      await visitIndexes(tour);
      await visitRecords(tour);
      await visitDocuments(tour);
      await visitBackups(tour);
      await visitCollections(tour, admin);
      await visitTexts(tour);
      await visitAssistants(tour);
      await visitAdministration(tour);
      await visitConsole(tour, admin);
      await leave(tour);
      const missed = tour.operationIds.filter((id) => !tour.visited.has(id) && !(id in ELSEWHERE));
      // It asks an assistant, which only newer versions create.
      if (!tour.has('create_assistant')) missed.splice(missed.indexOf('create_chat_completion'), 1);
      assert.deepEqual(missed, []);
      assert.ok(tour.refusals > REFUSALS_MIN, `${tour.refusals}`);
    });
  }
});

async function visitIndexes(tour: Tour): Promise<void> {
  const { host } = await tour.run<{ host: string }>('create_index');
  tour.indexHost = host;
  await tour.run('describe_index');
  await tour.run('list_indexes');
  await tour.run('configure_index');
  await tour.run('read_metrics');
  await tour.run('send_mcp_message');
}

async function visitRecords(tour: Tour): Promise<void> {
  await tour.run('create_namespace');
  await tour.run('upsert_vectors');
  for (const id of [
    'query_vectors',
    'fetch_vectors',
    'fetch_vectors_by_metadata',
    'list_vectors',
    'browse_records',
    'find_neighbors',
    'compare_searches',
    'update_vectors',
    'describe_index_stats',
    'get_index_stats',
    'list_namespaces',
    'describe_namespace',
    'list_bulk_imports',
  ]) {
    await tour.run(id);
  }
  await visitMaps(tour);
  await visitJudgments(tour);
  await visitBranches(tour);
  await tour.run('create_namespace_alias');
  await tour.run('list_namespace_aliases');
  await tour.run('describe_namespace_alias');
  await tour.run('repoint_namespace_alias');
  await tour.run('delete_namespace_alias');
  const { id = '' } = await tour.run<{ id?: string }>('start_bulk_export');
  const path = { id };
  await untilState(tour, 'describe_bulk_export', path, 'Completed');
  await tour.run('list_bulk_exports');
  await tour.run('download_bulk_export', { path });
  await tour.run('delete_bulk_export', { path });
}

async function visitBranches(tour: Tour): Promise<void> {
  if (!tour.has('create_branch')) return;
  const path = { index_name: tour.named('books') };
  await tour.run('create_branch', { path });
  await tour.run('list_branches', { path });
  for (const id of ['describe_branch', 'list_branch_differences', 'compare_branch'])
    await tour.run(id, { path });
  await tour.run('merge_branch', { path });
  await until(async () => {
    const { state } = await tour.run<{ state: string }>('describe_branch_merge', { path });
    return state === 'Completed';
  }, 'the merge');
  await tour.run('delete_branch', { path });
}

async function visitMaps(tour: Tour): Promise<void> {
  if (!tour.has('make_map')) return;
  await tour.run('make_map');
  await until(async () => {
    const { map } = await tour.run<{ map: object | null }>('describe_map');
    return map !== null;
  }, 'the map');
  await tour.run('list_map_points');
}

async function visitJudgments(tour: Tour): Promise<void> {
  const { id: set_id = '' } = await tour.run<{ id?: string }>('create_judgment_set');
  const path = { set_id };
  await tour.run('list_judgment_sets');
  for (const id of [
    'describe_judgment_set',
    'judge_results',
    'download_questions',
    'upload_questions',
    'update_judgment_set',
    'score_judgment_set',
    'delete_judgment_set',
  ])
    await tour.run(id, { path });
}

/** On an index of documents with the fields of the examples. */
async function visitDocuments(tour: Tour): Promise<void> {
  if (!tour.has('upsert_documents')) return;
  const { indexHost } = tour;
  const text = { type: 'string', full_text_search: {} };
  const { host } = await tour.run<{ host: string }>('create_index', {
    body: { name: 'recipes', schema: { fields: { title: text, text } } },
  });
  tour.indexHost = host;
  for (const call of ['upsert', 'search', 'fetch', 'list', 'update', 'delete']) {
    await tour.run(`${call}_documents`);
  }
  await tour.run('delete_index', { path: { index_name: 'recipes' } });
  tour.indexHost = indexHost;
}

async function visitBackups(tour: Tour): Promise<void> {
  const { backup_id = '' } = await tour.run<{ backup_id?: string }>('create_backup');
  await untilState(tour, 'describe_backup', { backup_id }, 'Ready');
  await tour.run('list_index_backups');
  await tour.run('list_project_backups');
  const path = { backup_id };
  const { restore_job_id = '' } = await tour.run<{ restore_job_id?: string }>(
    'create_index_from_backup_operation',
    { path },
  );
  await untilState(tour, 'describe_restore_job', { job_id: restore_job_id }, 'Completed');
  await tour.run('list_restore_jobs');
  for (const id of ['list_recoverable_indexes', 'describe_recoverable_index', 'list_recoveries'])
    await tour.run(id);
  const { schedule_id = '' } = await tour.run<{ schedule_id?: string }>('create_backup_schedule');
  const schedule = { path: { schedule_id } };
  await tour.run('list_backup_schedules');
  await tour.run('list_project_backup_schedules');
  await tour.run('describe_backup_schedule', schedule);
  await tour.run('list_backup_schedule_history', schedule);
  await tour.run('update_backup_schedule', schedule);
  await tour.run('delete_backup_schedule', schedule);
  await tour.run('delete_backup', { path });
}

async function visitCollections(tour: Tour, { service }: AdminService): Promise<void> {
  const source = tour.named('pods');
  await service.createIndex({ name: source, dimension: 3, spec: { pod: { environment: 'us-east-1-aws' } } });
  await tour.run('create_collection', { body: { source } });
  await untilState(tour, 'describe_collection', {}, 'Ready');
  await tour.run('list_collections');
  await tour.run('delete_collection');
  await tour.run('describe_index', { path: { index_name: source } });
}

async function visitTexts(tour: Tour): Promise<void> {
  await tour.run('list_models');
  await tour.run('get_model');
  await tour.run('embed');
  await tour.run('rerank');
  for (const id of ['create_embeddings', 'list_openai_models', 'retrieve_openai_model']) await tour.run(id);
  if (!tour.has('create_index_for_model')) return;
  const books = tour.indexHost;
  const { host } = await tour.run<{ host: string }>('create_index_for_model');
  tour.indexHost = host;
  await tour.run('upsert_records');
  await tour.run('upsert_records', {
    headers: { 'content-type': 'application/x-ndjson' },
    text: '{"_id":"a","chunk_text":"one"}\n{"id":"b","chunk_text":"two"}\n',
  });
  await tour.run('search_records');
  const path = { index_name: tour.named('notes') };
  await tour.run('reembed_index', { path });
  await tour.run('describe_reembedding', { path });
  await modelChange(tour, path);
  await timeToLive(tour, path);
  await tour.run('check_index', { path });
  await tour.run('describe_index_check', { path });
  tour.indexHost = books;
}

async function modelChange(tour: Tour, path: Readonly<Record<string, string>>): Promise<void> {
  if (!tour.has('start_model_change')) return;
  await tour.run('start_model_change', { path });
  await until(async () => {
    const { state } = await tour.run<{ state: string }>('describe_model_change', { path });
    return state === 'Ready';
  }, 'the new vectors are ready');
  await tour.run('compare_models', { path });
  await tour.run('switch_model', { path });
  await tour.run('revert_model', { path });
  await tour.run('end_model_change', { path });
}

async function timeToLive(tour: Tour, path: Readonly<Record<string, string>>): Promise<void> {
  if (!tour.has('set_time_to_live')) return;
  for (const id of ['describe_history', 'list_changes', 'read_changes']) await tour.run(id, { path });
  await tour.run('follow_changes', { path, query: { seconds: '0' } });
  await tour.run('start_undo', { path, body: { namespace: 'films', to_lsn: 0 } });
  await tour.run('describe_undo', { path });
  await tour.run('describe_time_to_live', { path });
  await tour.run('set_time_to_live', { path });
  await tour.run('end_time_to_live', { path });
  for (const id of ['describe_recall', 'set_recall', 'end_recall']) await tour.run(id, { path });
  await tour.run('describe_memory', { path });
  // The index of the tour has too few dimensions for the other profile.
  await tour.run('set_memory', { path, body: { profile: 'memory' } });
  await tour.run('end_memory', { path });
}

async function visitAssistants(tour: Tour): Promise<void> {
  if (!tour.has('create_assistant')) return;
  await tour.run('create_assistant');
  await untilState(tour, 'get_assistant', {}, 'Ready');
  await tour.run('list_assistants');
  await tour.run('update_assistant');
  const file = await tour.run<{ id: string; file_id?: string }>('upload_file', formOf('handbook.md'));
  const path = { assistant_file_id: file.file_id ?? file.id };
  await untilState(tour, 'describe_file', path, 'Available');
  await tour.run('find_passage', { path });
  await tour.run('list_files');
  await tour.run('list_operations');
  await tour.run('describe_operation', { path: { operation_id: file.id } });
  await tour.run('upsert_file', { path, ...formOf('handbook.md') });
  for (const id of [
    'chat_assistant',
    'chat_completion_assistant',
    'context_assistant',
    'metrics_alignment',
  ]) {
    await tour.run(id);
  }
  await tour.run('send_assistant_mcp_message');
  await tour.run('create_chat_completion', { body: { model: `assistant/${tour.named('helper')}` } });
  await tour.run('delete_file', { path });
  await tour.run('reembed_assistant');
  await tour.run('describe_assistant_reembedding');
  await tour.run('delete_assistant');
}

function formOf(name: string) {
  const text = [
    '--x',
    `content-disposition: form-data; name="file"; filename="${name}"`,
    '',
    'The heron stands in the water.',
    '--x--',
    '',
  ].join('\r\n');
  return { text, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
}

async function leave(tour: Tour): Promise<void> {
  await tour.run('delete_vectors');
  await tour.run('upsert_vectors');
  await tour.run('delete_vectors_by_query', { query: { namespace: 'films', deleteAll: 'true' } });
  await tour.run('upsert_vectors');
  await tour.run('delete_namespace');
  await tour.run('configure_index', { body: { deletion_protection: 'disabled' } });
  await tour.run('delete_index');
}

/** Describes a resource until its status is this one. */
async function untilState(
  tour: Tour,
  operationId: string,
  path: Readonly<Record<string, string>>,
  state: string,
): Promise<void> {
  if (!tour.has(operationId)) return;
  await until(async () => {
    const { status } = await tour.run<{ status?: unknown }>(operationId, { path });
    assert.notEqual(status, 'Failed');
    return status === state;
  }, `${operationId} ${state}`);
}
