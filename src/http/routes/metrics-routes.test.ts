// Guarantees of the monitoring routes: who sees what, in which format, and that no value is invented.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { metricFamilies, readProcess } from '../../app/monitoring/metric-families.ts';
import { operatorFamilies } from '../../app/monitoring/operator-families.ts';
import { fault } from '../../domain/faults.ts';
import { FULL, INDEXES, MACHINE, makeApp, PLACE, smallEngine, THREADS } from './testing/metrics-app.ts';

describe('GET /metrics', () => {
  test("shows the indexes of the key's project and of no other, as Prometheus text", async () => {
    const { get } = makeApp();
    const { statusCode, headers, body } = await get('/metrics', 'editor');
    assert.equal(statusCode, 200);
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    assert.match(body, new RegExp(`^pinecone_db_record_total{index_name="films",${PLACE}} 7$`, 'm'));
    assert.match(body, /^pinecone_db_storage_size_bytes{.*} 900$/m);
    assert.match(body, /^process_resident_memory_bytes \d+$/m);
    assert.ok(!body.includes('secret'));
    assert.match(body, /^pinyon_backup_damaged{backup_id="b",index_name="shows"} 1$/m);
    const other = (await get('/metrics', 'stranger')).body;
    assert.match(other, /index_name="secret"/);
    assert.doesNotMatch(other, /pinyon_backup_damaged{/);
  });

  test('counts as a request of the key, and so do the targets of discovery; the operator is not bounded', async () => {
    const counted: string[] = [];
    const { get } = makeApp(smallEngine, INDEXES, {
      admitRequest: ({ projectId }) => {
        counted.push(projectId);
        if (projectId === 'p2') throw fault('rate-exceeded', { max: 1, what: 'requests', seconds: 1 });
      },
    });
    const discovery = (projectId: string) => `/prometheus/projects/${projectId}/metrics/discovery`;
    for (const [url, key, status] of [
      ['/metrics', 'editor', 200],
      [discovery('p1'), 'editor', 200],
      ['/metrics', 'stranger', 429],
      [discovery('p2'), 'stranger', 429],
      ['/metrics', 'operator', 200],
    ] as const)
      assert.equal((await get(url, key)).statusCode, status, `${url} ${key}`);
    assert.deepEqual(counted, ['p1', 'p1', 'p2', 'p2']);
  });

  test("shows the operator's key all projects, told apart, and the machine; other keys see neither", async () => {
    const { get } = makeApp();
    const { body } = await get('/metrics', 'operator');
    assert.match(
      body,
      new RegExp(`^pinecone_db_record_total{index_name="films",${PLACE},project_id="p1"} 7$`, 'm'),
    );
    assert.match(body, /index_name="secret".*project_id="p2"/);
    assert.match(body, /^pinyon_jobs{kind="restore",status="Failed",project_id="p1"} 2$/m);
    assert.match(body, /^pinyon_build_info{version="1\.2\.3",node="26\.1\.0"} 1$/m);
    assert.match(body, /^pinyon_disk_free_bytes 400$/m);
    assert.match(body, /^pinyon_event_loop_delay_seconds{quantile="0\.99"} 0\.004$/m);
    assert.match(body, /^pinyon_backup_damaged{backup_id="b",index_name="shows",project_id="p1"} 1$/m);
    assert.match(body, /^pinyon_backup_scrubbed_bytes_total 600$/m);
    assert.match(body, /^pinyon_recovery_lag_seconds 3$/m);
    assert.match(body, /^pinyon_recovery_interval_seconds 5$/m);
    assert.match(body, /^pinyon_node_lease_age_seconds 0\.4$/m);
    assert.match(body, /^pinyon_node_alive\{node="http:\/\/b:5080"\} 0$/m);
    assert.match(body, /^pinyon_node_placed\{node="http:\/\/b:5080"\} 5$/m);
    assert.match(body, /^pinyon_node_forward_failures_total\{node="http:\/\/b:5080"\} 2$/m);
    assert.match(body, /^pinyon_node_moves_total\{outcome="completed"\} 3$/m);
    assert.match(body, /^pinyon_backup_scrub_finished_seconds 1790000001$/m);
    assert.match(body, /^pinyon_newest_backup_timestamp_seconds{index_name="films".*} 100$/m);
    assert.match(body, /^pinyon_newest_backup_timestamp_seconds{index_name="secret".*} 0$/m);
    assert.doesNotMatch(body, /process_max_fds/);
    assert.doesNotMatch((await get('/metrics', 'editor')).body, /project_id|pinyon_build_info|pinyon_disk/);
  });

  test("tells the operator of the node and the process while the database does not answer, and projects' keys nothing", async () => {
    const fails = () => {
      throw fault('database-unavailable', { reason: 'it is gone' });
    };
    for (const outage of [{ requireCurrent: fails }, { ask: fails }]) {
      const { get } = makeApp(smallEngine, INDEXES, outage);
      const { statusCode, body } = await get('/metrics', 'operator');
      assert.equal(statusCode, 200);
      assert.match(body, /^pinyon_node_lease_age_seconds 0\.4$/m);
      assert.match(body, /^process_resident_memory_bytes \d+$/m);
      assert.match(body, /^pinyon_build_info{/m);
      assert.doesNotMatch(body, /index_name|pinyon_backup_scrub/);
    }
    const { get } = makeApp(smallEngine, INDEXES, { requireCurrent: fails });
    assert.equal((await get('/metrics', 'editor')).statusCode, 503);
  });

  test('tells the operator of the process while the disk of the catalog is away', async () => {
    const { get } = makeApp(smallEngine, INDEXES, {
      ask: () => {
        throw fault('storage-full', { reason: 'the disk reports an input/output error (EIO)' });
      },
    });
    const { statusCode, body } = await get('/metrics', 'operator');
    assert.equal(statusCode, 200);
    assert.match(body, /^process_resident_memory_bytes \d+$/m);
    assert.doesNotMatch(body, /index_name/);
  });

  test('leaves the figures of the disk out while it does not tell them', () => {
    const families = operatorFamilies({ ...MACHINE, disk: null }, []);
    const disk = families.filter(({ name }) => name.startsWith('pinyon_disk_'));
    assert.deepEqual(
      disk.map(({ samples }) => samples),
      [[], []],
    );
  });

  test('leaves indexes of other nodes to these', async () => {
    const placed = INDEXES.map((index) => ({
      ...index,
      placement: { nodeId: index.name === 'films' ? 'here' : 'there', epoch: 1 },
    }));
    const { body } = await makeApp(smallEngine, placed).get('/metrics', 'operator');
    assert.match(body, /^pinyon_newest_backup_timestamp_seconds{index_name="films".*} 100$/m);
    assert.match(body, /^pinecone_db_record_total{index_name="films".*} 7$/m);
    assert.doesNotMatch(body, /index_name="secret"/);
  });

  test('shows nothing that the engine did not report', async () => {
    const { body } = await makeApp().get('/metrics', 'editor');
    assert.doesNotMatch(body, /pinyon_(memory|namespaces|slots|graph|unindexed|tail|build|thread)/);
    const closed = { ...FULL, records: null, memory: null, structure: null, namespacesOversized: null };
    const metrics = async () => ({ indexes: [closed], threads: [] });
    const unread = (await makeApp({ metrics }).get('/metrics', 'editor')).body;
    assert.doesNotMatch(unread, /pinecone_db_record_total|pinyon_namespaces/);
    assert.match(unread, /^pinecone_db_storage_size_bytes{.*} 9000$/m);
  });

  test('shows all that the engine reports: memory by part and against its limit, structure, threads', async () => {
    const memory = { bytesMax: 2_000, bytesUsed: 1_700 };
    const metrics = async () => ({ indexes: [FULL], threads: THREADS, memory });
    const { body } = await makeApp({ metrics }).get('/metrics', 'editor');
    const labels = `index_name="films",${PLACE}`;
    for (const line of [
      `pinecone_db_record_total{${labels}} 70`,
      `pinyon_memory_bytes{${labels},part="codes"} 11`,
      `pinyon_memory_bytes{${labels},part="graph"} 12`,
      `pinyon_memory_bytes{${labels},part="columns"} 13`,
      `pinyon_memory_bytes{${labels},part="sparse"} 14`,
      `pinyon_memory_bytes{${labels},part="other"} 15`,
      `pinyon_codes_on_disk_bytes{${labels}} 16`,
      `pinyon_namespaces_loaded{${labels}} 2`,
      `pinyon_namespaces_oversized{${labels}} 4`,
      'pinyon_memory_limit_bytes 2000',
      'pinyon_memory_used_bytes 1700',
      `pinyon_slots{${labels}} 100`,
      `pinyon_graph_slots{${labels}} 80`,
      `pinyon_unindexed_slots{${labels}} 20`,
      `pinyon_tail_slots{${labels}} 20`,
      `pinyon_build_slots{${labels}} 20`,
      `pinyon_build_done_slots{${labels}} 5`,
      'pinyon_thread_queue_length{kind="reader",thread="1"} 3',
      'pinyon_thread_restarts_total{kind="reader",thread="1"} 2',
    ]) {
      assert.ok(body.split('\n').includes(line), line);
    }
  });

  test('shows requests under the names of the public service and as a histogram; errors by status', async () => {
    const { meter, get } = makeApp();
    meter.add('i1', 'query_vectors', { status: 200, milliseconds: 1.5 });
    meter.add('i1', 'query_vectors', { status: 429, milliseconds: 0.25, condition: 'overloaded' });
    meter.add('i1', 'upsert_vectors', { status: 429, milliseconds: 0.25, condition: 'rate-exceeded' });
    const { body } = await get('/metrics', 'editor');
    const labels = `index_name="films",${PLACE}`;
    for (const line of [
      `pinecone_db_op_query_count{${labels}} 2`,
      `pinecone_db_op_query_duration_sum{${labels}} 1.75`,
      `pinecone_db_op_fetch_count{${labels}} 0`,
      `pinyon_request_duration_seconds_bucket{${labels},operation="query",le="0.001"} 1`,
      `pinyon_request_duration_seconds_bucket{${labels},operation="query",le="+Inf"} 2`,
      `pinyon_request_errors_total{${labels},operation="query",status="429"} 1`,
      `pinyon_request_errors_total{${labels},operation="upsert",status="429"} 1`,
      `pinyon_overloads_total{${labels}} 1`,
    ]) {
      assert.ok(body.split('\n').includes(line), line);
    }
  });

  test("shows how many files the project's assistants have in each state", async () => {
    const { get } = makeApp();
    const line = 'pinyon_assistant_files{assistant_name="helper",status="Processing"} 3';
    assert.ok((await get('/metrics', 'editor')).body.split('\n').includes(line));
    assert.doesNotMatch((await get('/metrics', 'stranger')).body, /helper/);
  });

  test("shows how many of the project's jobs of each kind wait, run or have failed", async () => {
    const { get } = makeApp();
    const line = 'pinyon_jobs{kind="restore",status="Failed"} 2';
    assert.ok((await get('/metrics', 'editor')).body.split('\n').includes(line));
    assert.doesNotMatch((await get('/metrics', 'stranger')).body, /pinyon_jobs/);
  });

  test('counts the jobs that failed for good, and shows kinds without any as zero', async () => {
    const { jobMeter, get } = makeApp();
    const lines = async (key: string) =>
      (await get('/metrics', key)).body.split('\n').filter((line) => /^pinyon_job_failures_total/.test(line));
    const shown = (exports: number, restores: number) => [
      `pinyon_job_failures_total{kind="export"} ${exports}`,
      `pinyon_job_failures_total{kind="restore"} ${restores}`,
    ];
    assert.deepEqual(await lines('editor'), shown(0, 0));
    for (const kind of ['export', 'export', 'restore']) jobMeter.addFailure({ projectId: 'p1', kind });
    jobMeter.addFailure({ projectId: 'p2', kind: 'export' });
    assert.deepEqual(await lines('operator'), shown(3, 1));
    const later = makeApp();
    later.jobMeter.addFailure({ projectId: 'p1', kind: 'export' });
    const own = (await later.get('/metrics', 'editor')).body;
    const others = (await later.get('/metrics', 'stranger')).body;
    assert.match(own, /^pinyon_job_failures_total{kind="export"} 1$/m);
    assert.match(others, /^pinyon_job_failures_total{kind="export"} 0$/m);
  });

  test('takes the key in Api-Key too; refuses none, a wrong one, and one that may not list indexes', async () => {
    const { app, get } = makeApp();
    assert.equal((await app.inject({ url: '/metrics', headers: { 'api-key': 'editor' } })).statusCode, 200);
    assert.equal((await app.inject('/metrics')).statusCode, 401);
    assert.equal((await get('/metrics', 'wrong')).statusCode, 401);
    assert.equal((await get('/metrics', 'wrong', { 'api-key': 'editor' })).statusCode, 401);
    const { statusCode, body } = await get('/metrics', 'reader');
    assert.equal(statusCode, 403);
    assert.match(body, /Permission control_plane::indexes::list is required/);
  });

  test('omits an index that is deleted while it is read', async () => {
    const metrics = async () => ({ indexes: [], threads: [] });
    const { statusCode, body } = await makeApp({ metrics }).get('/metrics', 'editor');
    assert.equal(statusCode, 200);
    assert.ok(!body.includes('films'));
  });

  test('reads the engine once for concurrent requests, and again afterwards', async () => {
    let reads = 0;
    const both = Promise.withResolvers<void>();
    const metrics = async () => {
      reads++;
      await both.promise;
      return { indexes: [FULL], threads: [] };
    };
    const { get } = makeApp({ metrics });
    const answers = [get('/metrics', 'editor'), get('/metrics', 'editor')];
    // Nothing on the way to the engine waits for anything but turns of the event loop.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    both.resolve();
    await Promise.all(answers);
    assert.equal(reads, 1);
    await get('/metrics', 'editor');
    assert.equal(reads, 2);
  });
});

describe('GET /prometheus/projects/{project_id}/metrics/discover', () => {
  const labels = { __metrics_path__: '/metrics' };

  test('names this server as Prometheus reached it, on both spellings of the path', async () => {
    const { get } = makeApp();
    for (const path of ['discover', 'discovery']) {
      const url = `/prometheus/projects/p1/metrics/${path}`;
      const { statusCode, headers, body } = await get(url, 'editor', { host: 'vectors.example.org:5080' });
      assert.equal(statusCode, 200);
      assert.match(String(headers['content-type']), /^application\/json/);
      assert.deepEqual(JSON.parse(body), [{ targets: ['vectors.example.org:5080'], labels }]);
    }
  });

  test("refuses as metrics do, and treats another project's id as unknown", async () => {
    const { app, get } = makeApp();
    const url = (id: string) => `/prometheus/projects/${id}/metrics/discover`;
    assert.equal((await app.inject(url('p1'))).statusCode, 401);
    assert.equal((await get(url('p1'), 'reader')).statusCode, 403);
    const foreign = await get(url('p2'), 'editor');
    const missing = await get(url('p9'), 'editor');
    assert.deepEqual([foreign.statusCode, missing.statusCode], [404, 404]);
    assert.equal(foreign.body.replace('p2', 'p9'), missing.body);
  });
});

test('has every metric explained in docs/reference/metrics.md', () => {
  const page = readFileSync(new URL('../../../docs/reference/metrics.md', import.meta.url), 'utf8');
  const families = metricFamilies(
    {
      isOfAllProjects: false,
      indexes: [],
      threads: [],
      open: { open: 1, openings: 2, closings: 1 },
      memory: { bytesMax: 2, bytesUsed: 1 },
      files: [],
      jobs: [],
      jobFailures: [],
      quotaRefusals: [],
      toolCalls: [],
      damagedArchives: [],
      signIns: { signedIn: 0, refused: 0, unavailable: 0 },
      wrongCredentials: { refused: 0, backedOff: 0 },
    },
    readProcess(),
  );
  for (const { name } of [...families, ...operatorFamilies(MACHINE, [])]) {
    assert.ok(page.includes(`\`${name}\``), name);
  }
});
