// Runs Schemathesis, a fuzzer of interfaces, over the OpenAPI documents of three versions against a server of its own.
// Skips with a message where Python or the package cannot be had. Words: how many examples for each operation, and versions.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = 'schemathesis==4.32.5';
const VERSIONS = ['2025-04', '2025-10', '2026-07'];
const EXAMPLES = '20';
const KEY = `pcsk_fuzz_${'0123456789abcdef'.repeat(2)}`;
const OWNER = { client_id: 'fuzzOwner', client_secret: 'f'.repeat(40) };
const PORT = 28_480;
const BASE = `http://localhost:${PORT}`;
const INDEX = 'fuzzed';
const START_MS = 60_000;
const START_PAUSE_MS = 200;

const words = process.argv.slice(2);
const examples = words.find((word) => /^\d+$/.test(word)) ?? EXAMPLES;
const versions = VERSIONS.filter(
  (version) => !words.some((word) => word.includes('-')) || words.includes(version),
);

const folder = mkdtempSync(join(tmpdir(), 'pinyon-schemathesis-'));
try {
  const program = install();
  if (program === null)
    process.stdout.write('SKIPPED: Schemathesis could not be installed; nothing was tested.\n');
  else process.exitCode = await run(program);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The path of the program; null where it cannot be installed. */
function install(): string | null {
  const python = join(folder, 'python');
  const steps = [
    ['python3', '-m', 'venv', python],
    [join(python, 'bin', 'pip'), 'install', '--quiet', PACKAGE],
  ] as const;
  for (const [command, ...rest] of steps) {
    const { status, stderr, error } = spawnSync(command, rest, { encoding: 'utf8' });
    if (status === 0) continue;
    process.stdout.write(`${error?.message ?? stderr}\n`);
    return null;
  }
  return join(python, 'bin', 'schemathesis');
}

/** Resolves to the exit code. */
async function run(program: string): Promise<number> {
  const server = startServer();
  try {
    await until(async () => (await fetch(`${BASE}/health`)).ok);
    const token = await ownersToken();
    let failed = 0;
    for (const version of versions) {
      await createIndex();
      const child = spawn(program, wordsFor(version, token), { cwd: folder, stdio: 'inherit' });
      const [status] = await once(child, 'exit');
      failed += Number(status !== 0);
    }
    return failed === 0 ? 0 : 1;
  } finally {
    server.kill('SIGTERM');
  }
}

function startServer(): ChildProcess {
  const main = fileURLToPath(new URL('../../src/boot/main.ts', import.meta.url));
  return spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PINYON_DATA_DIR: join(folder, 'data'),
      PINYON_PORT: String(PORT),
      PINYON_INDEX_PORTS: `${PORT + 1}-${PORT + 99}`,
      PINYON_API_KEY: KEY,
      PINYON_ADMIN_CLIENT_ID: OWNER.client_id,
      PINYON_ADMIN_CLIENT_SECRET: OWNER.client_secret,
      PINYON_WRONG_CREDENTIALS_MAX: '0',
      PINYON_IMPORT_PUBLIC: 'false',
      PINYON_LOG_LEVEL: 'error',
    },
  });
}

/** @throws when the condition does not hold in time */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + START_MS; ; ) {
    if (await condition().catch(() => false)) return;
    if (performance.now() > end) throw new Error('the server does not start');
    await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
  }
}

async function ownersToken(): Promise<string> {
  const body = new URLSearchParams({
    ...OWNER,
    grant_type: 'client_credentials',
    audience: 'https://api.pinecone.io/',
  });
  const answer = await fetch(`${BASE}/oauth/token`, { method: 'POST', body });
  const { access_token: token }: { readonly access_token: string } = JSON.parse(await answer.text());
  return token;
}

/** An earlier run may have deleted it. */
async function createIndex(): Promise<void> {
  const body = {
    name: INDEX,
    dimension: 3,
    metric: 'cosine',
    spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
  };
  const headers = { 'api-key': KEY, 'content-type': 'application/json', connection: 'close' };
  await fetch(`${BASE}/indexes`, { method: 'POST', headers, body: JSON.stringify(body) });
}

function wordsFor(version: string, token: string): readonly string[] {
  return [
    ...['run', documentOf(version), '--url', BASE, '--no-color'],
    ...['--checks', 'not_a_server_error', '--phases', 'examples,coverage,fuzzing'],
    ...['--max-examples', examples, '--seed', '18', '--continue-on-failure', '--warnings', 'off'],
    ...['--suppress-health-check', 'all', '--request-timeout', '60'],
    // It cannot write lines of JSON.
    ...['--exclude-operation-id', 'upsert_records'],
    ...['-H', `Api-Key: ${KEY}`, '-H', `Authorization: Bearer ${token}`],
    ...['-H', `X-Service-Api-Version: ${version}`],
  ];
}

/** A copy of the document in which the operations of indexes are on the base address. @returns its path */
function documentOf(version: string): string {
  const source = new URL(`../../docs/openapi/${version}.json`, import.meta.url);
  const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
    readFileSync(source, 'utf8'),
  );
  document.paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, { servers, ...methods }]) => [
      servers === undefined ? path : `/data/${INDEX}${path}`,
      methods,
    ]),
  );
  const path = join(folder, `${version}.json`);
  writeFileSync(path, JSON.stringify(document));
  return path;
}
