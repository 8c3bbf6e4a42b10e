// Packs the package, installs it in an empty folder and uses it there, under each Node release. Run: npm run test:package
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { claimPorts } from '../../test/support/port-range.ts';
import { until } from '../../test/support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The oldest that npm must run under, and the later ones with long-term support. */
const RELEASES = process.argv.includes('--short') ? [20] : [20, 22, 24];
const INSTALLED_MEBIBYTES_MAX = 280;
const KEY = 'pcsk_package_0123456789abcdefghijklmnopqrstuvwxyz';

const folder = mkdtempSync(join(tmpdir(), 'pinyon-package-'));
try {
  run('npm', ['pack', '--pack-destination', folder], ROOT);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  for (const release of RELEASES) await tryUnder(release, join(folder, tarball));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryUnder(release: number, tarball: string): Promise<void> {
  const path = `${nodeFolder(release)}:${process.env.PATH}`;
  const project = mkdtempSync(join(folder, `project-${release}-`));
  writeFileSync(join(project, 'package.json'), '{}');
  run('npm', ['install', tarball], project, path);
  const mebibytes = sizeOf(join(project, 'node_modules'));
  expect(mebibytes <= INSTALLED_MEBIBYTES_MAX, `the installation takes ${mebibytes} MiB`);
  const [version] = run('npx', ['pinyon', '--version'], project, path).split('\n');
  const ports = await claimPorts();
  const port = ports.first;
  const server = spawn('npx', ['pinyon'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    env: {
      ...process.env,
      PATH: path,
      PINYON_PORT: String(port),
      PINYON_INDEX_PORTS: `${port + 1}-${ports.last}`,
      PINYON_API_KEY: KEY,
      PINYON_LOG_LEVEL: 'warn',
    },
  });
  server.stderr.pipe(process.stderr);
  try {
    await ready(port);
    await use(port);
    command({ project, path, port });
  } finally {
    // npx passes signals on to nobody.
    process.kill(-(server.pid ?? 0), 'SIGTERM');
    // Not only npx must have ended, but all that write to its streams.
    await once(server, 'close');
    ports.release();
  }
  console.log(`Node ${release}: pinyon ${version} works, ${mebibytes} MiB`);
}

/** One index, one record, one search, the console's page. */
async function use(port: number): Promise<void> {
  const base = `http://localhost:${port}`;
  const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
  const { host } = await ask(`${base}/indexes`, { name: 'films', dimension: 2, metric: 'cosine', spec });
  await ask(`${host}/vectors/upsert`, { vectors: [{ id: 'a', values: [1, 0] }] });
  const { matches } = await ask(`${host}/query`, { vector: [1, 0], topK: 1 });
  expect(JSON.stringify(matches).includes('"a"'), 'the record is found');
  const page = await fetch(base, { headers: { accept: 'text/html' } });
  expect((await page.text()).includes('<script'), 'the console is served');
}

interface Installed {
  readonly project: string;
  readonly path: string;
  readonly port: number;
}

/** Commands, with JSON alone on standard output; an upload needs the bundled tokenizer. */
function command({ project, path, port }: Installed): void {
  writeFileSync(join(project, 'pump.txt'), 'Open the lid to change the filter of the pump.');
  const env = { ...process.env, PATH: path, PINYON_URL: `http://localhost:${port}`, PINYON_API_KEY: KEY };
  const pinyon = (...words: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('npx', ['pinyon', ...words, '--json'], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    expect(status === 0, `pinyon ${words.join(' ')} ends with 0: ${stderr}`);
    return JSON.parse(stdout) as unknown;
  };
  const listed = JSON.stringify(pinyon('index', 'list'));
  expect(listed.includes('"films"'), 'the index is listed');
  pinyon('assistant', 'create', 'helper');
  pinyon('assistant', 'upload', 'helper', 'pump.txt');
  const answer = JSON.stringify(pinyon('assistant', 'ask', 'helper', 'How do I change the filter?'));
  expect(answer.includes('Open the lid'), 'the assistant answers from the file');
}

async function ask(url: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'api-key': KEY, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.ok, `${url} answers ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

async function ready(port: number): Promise<void> {
  const answer = () => fetch(`http://localhost:${port}/health`).catch(() => null);
  await until(async () => (await answer())?.ok === true, 'the start of the server');
}

/** The folder of a Node release's binary; that of this machine where it is the one. */
function nodeFolder(release: number): string {
  const own = (process.env.PATH ?? '').split(':').find((path) => {
    const { stdout } = spawnSync(join(path, 'node'), ['--version'], { encoding: 'utf8' });
    return stdout?.startsWith(`v${release}.`);
  });
  if (own !== undefined) return own;
  const home = mkdtempSync(join(folder, `node-${release}-`));
  writeFileSync(join(home, 'package.json'), '{}');
  run('npm', ['install', '--no-save', `node@${release}`], home);
  return join(home, 'node_modules', 'node', 'bin');
}

function run(command: string, args: readonly string[], cwd: string, path = process.env.PATH): string {
  const env = { ...process.env, PATH: path };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return `${stdout}${stderr}`;
}

/** Blocks on the disk, in MiB. */
function sizeOf(path: string): number {
  return Number(run('du', ['-sm', path], folder).split('\t')[0]);
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`expected otherwise: ${what}`);
}
