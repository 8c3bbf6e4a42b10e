// Runs tests of ring 3 over the engine on PostgreSQL: each service gets a database of its own, by its data directory.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whyNoPgvector } from '../../test/postgres/pgvector.ts';
import { startPostgres, whyNotHere } from '../../test/postgres/server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONNECTIONS_MAX = 400;
/** The tests of what callers see of records; `npm run test:postgres:sdk -- FILES` chooses others. */
const FILES = [
  'test/sdk-9-indexes.test.ts',
  'test/sdk-9-namespaces.test.ts',
  'test/sdk-9-vectors.test.ts',
  'test/sdk-8.test.ts',
  'test/sdk-5.test.ts',
  'test/sdk-2.test.ts',
];

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) process.exitCode = await run();
else process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);

async function run(): Promise<number> {
  const server = await startPostgres(CONNECTIONS_MAX);
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-ring3-postgres-'));
  const program = join(folder, 'program.mjs');
  writeFileSync(program, programText(server.url));
  const chosen = process.argv.slice(2);
  try {
    const { status } = spawnSync(
      process.execPath,
      ['scripts/run-tests.ts', ...(chosen.length > 0 ? chosen : FILES)],
      { cwd: ROOT, stdio: 'inherit', env: { ...process.env, PINYON_TEST_PROGRAM: program } },
    );
    return status ?? 1;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that makes the database of its data directory unless it is there, and becomes the server on it. */
function programText(url: string): string {
  return `import { createHash } from 'node:crypto';
const pg = (await import(${JSON.stringify(new URL('../../node_modules/pg/lib/index.js', import.meta.url))})).default;
const { PINYON_DATA_DIR: folder } = process.env;
if (folder && !process.env.PINYON_DATABASE_URL) {
  const name = 'd_' + createHash('sha1').update(folder).digest('hex');
  const client = new pg.Client({ connectionString: ${JSON.stringify(url)} });
  await client.connect();
  await client.query('create database ' + name).catch((error) => {
    if (error.code !== '42P04') throw error;
  });
  await client.end();
  const database = new URL(${JSON.stringify(url)});
  database.pathname = '/' + name;
  process.env.PINYON_DATABASE_URL = database.href;
  process.env.PINYON_ENGINE = 'postgres';
}
await import(${JSON.stringify(new URL('../../bin/pinyon.mjs', import.meta.url))});
`;
}
