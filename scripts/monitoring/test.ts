// Runs the alert rules and every query of the dashboard in a real Prometheus that scrapes a real server. Needs Debian's
// package prometheus, and says so where it is missing. Run: npm run test:monitoring
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claimPorts } from '../../test/support/port-range.ts';
import { until } from '../../test/support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RULES = join(ROOT, 'deploy', 'monitoring');
const API_KEY = 'pcsk_monitoring_0123456789abcdefghijklmnopqrstuvwxyz';
const METRICS_KEY = 'monitoring-0123456789abcdefghijklmnopqrstuvwxyz';
/** A server that does well has no errors and no unfinished jobs, and one small index is not loaded. */
const MAY_BE_EMPTY =
  /pinyon_(request_errors_total|jobs|newest_backup|memory_bytes|unindexed_slots|audited_recall|model_)/;

if (spawnSync('promtool', ['--version']).error !== undefined) {
  console.log('SKIPPED: promtool is not installed (Debian: apt-get install prometheus)');
  process.exit(0);
}

const ports = await claimPorts();
const PORT = ports.first;
const PROMETHEUS_PORT = ports.last;
const folder = mkdtempSync(join(tmpdir(), 'pinyon-monitoring-'));
const children: ChildProcess[] = [];
try {
  checkRules();
  checkTotals();
  await tryDashboard();
  console.log('The alert rules and every query of the dashboard work.');
} finally {
  for (const child of children) if (child.kill('SIGTERM')) await once(child, 'exit');
  ports.release();
  rmSync(folder, { recursive: true, force: true });
}

function checkRules(): void {
  run('promtool', ['check', 'rules', 'alerts.yaml']);
  run('promtool', ['test', 'rules', 'alerts.test.yaml']);
}

/** What several nodes tell of one database counts once; what each tells of its own, or another database, is added. */
function checkTotals(): void {
  const shared = (instance: string, name: string, value: number) =>
    `${name}, instance="${instance}"} ${value}`;
  const records = (index: string) => `pinecone_db_record_total{project_id="p", index_name="${index}"`;
  const jobs = (project: string) => `pinyon_jobs{kind="import", status="Pending", project_id="${project}"`;
  const keyless = 'pinyon_jobs{kind="backup", status="Pending"';
  const series = [
    ...['a', 'b'].map((node) => shared(node, records('shared'), 7)),
    shared('a', records('of-a'), 20),
    shared('b', records('of-b'), 100),
    ...['a', 'b'].flatMap((node) => [shared(node, jobs('p'), 2), shared(node, jobs('q'), 3)]),
    // Of another installation.
    shared('other', jobs('r'), 4),
    // Those without the key of an operator tell no projects.
    ...['c', 'd'].map((node) => shared(node, keyless, 2)),
  ].map((each) => ({
    series: each.slice(0, each.indexOf('} ') + 1),
    values: each.slice(each.indexOf('} ') + 2),
  }));
  const totals = (name: string, samples: Readonly<Record<string, number>>) => ({
    expr: queryOf(name).replaceAll('$instance', '.*'),
    eval_time: '0m',
    exp_samples: Object.entries(samples).map(([labels, value]) => ({ labels, value })),
  });
  const tests = [
    {
      interval: '1m',
      input_series: series,
      promql_expr_test: [
        totals('pinecone_db_record_total', { '{}': 127 }),
        totals('pinyon_jobs', {
          '{kind="import", status="Pending"}': 9,
          '{kind="backup", status="Pending"}': 2,
        }),
      ],
    },
  ];
  // JSON is YAML.
  writeFileSync(join(folder, 'totals.test.yaml'), JSON.stringify({ evaluation_interval: '1m', tests }));
  run('promtool', ['test', 'rules', join(folder, 'totals.test.yaml')]);
}

/** The query of the dashboard about a metric. */
function queryOf(metric: string): string {
  const text = readFileSync(join(RULES, 'grafana-dashboard.json'), 'utf8');
  const found = [...text.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, expr = '""']) => JSON.parse(expr));
  const query = found.find((expr) => String(expr).includes(`${metric}{`));
  if (query === undefined) throw new Error(`the dashboard has no query about ${metric}`);
  return String(query);
}

async function tryDashboard(): Promise<void> {
  start(process.execPath, [join(ROOT, 'bin/pinyon.mjs')], {
    PINYON_DATA_DIR: join(folder, 'data'),
    PINYON_PORT: String(PORT),
    PINYON_INDEX_PORTS: `${PORT + 1}-${PORT + 5}`,
    PINYON_API_KEY: API_KEY,
    PINYON_METRICS_KEY: METRICS_KEY,
    PINYON_LOG_LEVEL: 'error',
  });
  await until(() => isSo(async () => (await fetch(`http://localhost:${PORT}/health`)).ok), 'the start');
  await useIndex();
  // As it is delivered, but for the address and the pace.
  cpSync(join(RULES, 'alerts.yaml'), join(folder, 'alerts.yaml'));
  writeFileSync(join(folder, 'metrics-key'), METRICS_KEY);
  const config = readFileSync(join(RULES, 'prometheus.yaml'), 'utf8')
    .replace('localhost:5080', `localhost:${PORT}`)
    .replace('15s', '1s');
  writeFileSync(join(folder, 'prometheus.yaml'), config);
  run('promtool', ['check', 'config', join(folder, 'prometheus.yaml')]);
  start('prometheus', [
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${PROMETHEUS_PORT}`,
    '--log.level=error',
  ]);
  const rate = 'rate(pinyon_request_duration_seconds_count[5m])';
  await until(() => isSo(async () => (await series(rate)) > 0), 'the second look of Prometheus');
  for (const query of dashboardQueries()) {
    const found = await series(query);
    if (found === 0 && !MAY_BE_EMPTY.test(query)) throw new Error(`no series: ${query}`);
  }
}

async function useIndex(): Promise<void> {
  const ask = async (url: string, body: object) => {
    const headers = { 'api-key': API_KEY, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
    return (await response.json()) as { readonly host: string };
  };
  const base = `http://localhost:${PORT}`;
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const { host } = await ask(`${base}/indexes`, { name: 'films', dimension: 2, metric: 'cosine', spec });
  await ask(`${host}/vectors/upsert`, { vectors: [{ id: 'a', values: [1, 0] }] });
  await ask(`${host}/query`, { vector: [1, 0], topK: 1 });
  await ask(`${base}/indexes/films/backups`, {});
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

function dashboardQueries(): readonly string[] {
  const text = readFileSync(join(RULES, 'grafana-dashboard.json'), 'utf8').replaceAll('$instance', '.*');
  return (JSON.parse(text) as Dashboard).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** How many series a query finds. @throws when Prometheus refuses it */
async function series(query: string): Promise<number> {
  const url = `http://127.0.0.1:${PROMETHEUS_PORT}/api/v1/query?query=${encodeURIComponent(query)}`;
  const { status, data, error } = (await (await fetch(url)).json()) as {
    readonly status: string;
    readonly error?: string;
    readonly data?: { readonly result: readonly unknown[] };
  };
  if (status !== 'success') throw new Error(`${query}: ${error}`);
  return data?.result.length ?? 0;
}

/** False while nobody answers. */
function isSo(condition: () => Promise<boolean>): Promise<boolean> {
  return condition().catch(() => false);
}

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  children.push(spawn(command, args, { stdio: [...stdio], env: { ...process.env, ...env } }));
}

function run(command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: RULES, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
}
