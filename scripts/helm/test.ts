// Renders the Helm chart in each of its forms and checks what it makes: that its parts fit together, that Kubernetes knows
// their keys, and that the server accepts the settings. Needs helm, and says so where it is missing. Run: npm run test:helm
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../../src/boot/read-settings.ts';
import { checkParts } from './check-parts.ts';
import type { Manifest } from './manifest.ts';

const CHART = fileURLToPath(new URL('../../deploy/helm/pinyon', import.meta.url));
const HELM = process.env.PINYON_HELM ?? 'helm';
const ALL = 'templates/all.yaml';
/** The oldest that the chart promises. */
const KUBERNETES = '1.25.0';

const SEVERAL = {
  publicUrl: 'https://vectors.example.org',
  existingSecret: 'secrets',
  'settings.PINYON_BLOBS': 's3://vectors',
};
/** What the secret of the documentation has. */
const SECRET = {
  PINYON_API_KEY: 'pcsk_helm_0123456789abcdefghijklmnopqrstuvwxyz',
  PINYON_DATABASE_URL: 'postgres://pinyon:secret@database:5432/pinyon',
};
const NODE_SECRET = { PINYON_NODE_SECRET: 'node_secret_0123456789abcdefghijklmnopqrstuvwxyz' };
const COMMON = ['PodDisruptionBudget', 'Service'];

interface Form {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly kinds: readonly string[];
  readonly replicas: number;
  readonly secret: Readonly<Record<string, string>>;
}

const FORMS: readonly Form[] = [
  { name: 'alone', values: {}, kinds: [...COMMON, 'StatefulSet'], replicas: 1, secret: {} },
  {
    name: 'alone behind an ingress',
    values: { publicUrl: SEVERAL.publicUrl, 'ingress.enabled': 'true', 'ingress.tlsSecret': 'certificate' },
    ...{ kinds: [...COMMON, 'StatefulSet', 'Ingress'], replicas: 1, secret: {} },
  },
  {
    name: 'several nodes on PostgreSQL',
    values: { ...SEVERAL, 'nodes.form': 'postgres', 'nodes.count': '3' },
    ...{ kinds: [...COMMON, 'Deployment'], replicas: 3, secret: SECRET },
  },
  {
    name: 'nodes with records of their own',
    values: { ...SEVERAL, 'nodes.form': 'mixed', 'nodes.count': '3', 'trustedProxies[0]': '10.0.0.0/8' },
    ...{ kinds: [...COMMON, 'Service', 'StatefulSet'], replicas: 3, secret: { ...SECRET, ...NODE_SECRET } },
  },
];

const REFUSED: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
  [{ 'nodes.form': 'other' }, /nodes\.form must be alone, postgres or mixed/],
  [{ ...SEVERAL, 'nodes.form': 'postgres', publicUrl: '' }, /several nodes need publicUrl/],
  [{ ...SEVERAL, 'nodes.form': 'mixed', existingSecret: '' }, /several nodes need existingSecret/],
  [
    { 'nodes.form': 'mixed', publicUrl: SEVERAL.publicUrl, existingSecret: 'x' },
    /need settings\.PINYON_BLOBS/,
  ],
  [{ 'ingress.enabled': 'true' }, /ingress needs publicUrl/],
];

if (spawnSync(HELM, ['version']).error !== undefined) {
  console.log('SKIPPED: helm is not installed (https://helm.sh); PINYON_HELM names another program');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'pinyon-helm-'));
try {
  const chart = chartWithAll(folder);
  const linted = spawnSync(HELM, ['lint', '--strict', CHART], { encoding: 'utf8' });
  assert.equal(linted.status, 0, linted.stdout + linted.stderr);
  for (const form of FORMS) {
    checkForm(form, rendered(chart, form.values));
    console.log(`${form.name}: as it should be`);
  }
  for (const [values, message] of REFUSED) assert.match(render(chart, values).stderr, message);
  console.log(`${REFUSED.length} sets of values are refused as they should be`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The chart with one more template, which renders all others as JSON: each in a line, by its name. */
function chartWithAll(into: string): string {
  const chart = join(into, 'pinyon');
  cpSync(CHART, chart, { recursive: true });
  const names = readdirSync(join(chart, 'templates')).filter((name) => name.endsWith('.yaml'));
  const lines = names.map(
    (name) => `${name}: {{ include (print .Template.BasePath "/${name}") . | fromYaml | toJson }}`,
  );
  writeFileSync(join(chart, ALL), lines.join('\n'));
  return chart;
}

function render(chart: string, values: Readonly<Record<string, string>>) {
  const set = Object.entries(values).flatMap(([name, value]) => ['--set-string', `${name}=${value}`]);
  const words = [
    'template',
    'books',
    chart,
    '--namespace',
    'vectors',
    '--kube-version',
    KUBERNETES,
    '--show-only',
    ALL,
    ...set,
  ];
  return spawnSync(HELM, words, { encoding: 'utf8' });
}

function rendered(chart: string, values: Readonly<Record<string, string>>): readonly Manifest[] {
  const { status, stdout, stderr } = render(chart, values);
  assert.equal(status, 0, stderr);
  const lines = stdout.split('\n').filter((line) => /^[a-z-]+\.yaml: /.test(line));
  const all = lines.map((line): Manifest => JSON.parse(line.slice(line.indexOf(' '))));
  for (const each of all) assert.equal(each.Error, undefined, 'it is YAML');
  // Templates of other forms render to nothing.
  return all.filter(({ kind }) => kind !== undefined);
}

function checkForm({ kinds, replicas, secret, values }: Form, all: readonly Manifest[]): void {
  assert.deepEqual(all.map(({ kind }) => kind).sort(), kinds.toSorted());
  const { env, workload } = checkParts(all);
  assert.equal(workload.spec.replicas, replicas);
  const settings = readSettings({ ...env, ...secret, PINYON_DATA_DIR: '/data' });
  assert.equal(settings.engine, values['nodes.form'] === 'postgres' ? 'postgres' : 'embedded');
  if (values['nodes.form'] === 'mixed')
    assert.equal(env.PINYON_NODE_ADDRESS, 'http://books-pinyon-0.books-pinyon-nodes.vectors.svc:5080');
}
