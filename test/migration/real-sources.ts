// Migrates from real servers: Chroma and LanceDB of PyPI, PostgreSQL with pgvector of Debian. Says SKIPPED without them.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { whyNoPgvector } from '../postgres/pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from '../postgres/server.ts';
import { runCli } from '../support/run-cli.ts';
import { API_KEY, type Service, startService } from '../support/service.ts';
import { recordsOf, type WireRecord } from '../support/wire-records.ts';

const COUNT = 1_030;
const READY_MS_MAX = 60_000;

const CHROMA = `
import sys, chromadb
films = chromadb.HttpClient(host="127.0.0.1", port=int(sys.argv[1])).create_collection(
    "films", embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
at = range(int(sys.argv[2]))
for some in (at[first:first + 500] for first in range(0, len(at), 500)):
    films.add(ids=[f"id-{i}" for i in some], embeddings=[[i + 1, 0.1, -1 / (i + 3)] for i in some],
              metadatas=[{"at": i, "even": i % 2 == 0} for i in some], documents=[f"word{i} of many" for i in some])
`;

const LANCE = `
import sys, lancedb, pyarrow, pyarrow.parquet
at = range(int(sys.argv[2]))
table = lancedb.connect(sys.argv[1]).create_table("films", pyarrow.table({
    "id": [f"id-{i}" for i in at],
    "vector": pyarrow.array([[i + 1, 0.5, -0.25] for i in at], pyarrow.list_(pyarrow.float16(), 3)),
    "at": list(at)}))
pyarrow.parquet.write_table(table.to_arrow(), f"{sys.argv[1]}/films.parquet")
`;

describe('migration from real databases', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-migrate-real-`);
  const python = `${folder}/venv/bin/python`;
  const skipped = whyNoPython(folder);
  const skippedPostgres = whyNotHere() ?? whyNoPgvector();
  let to: Service;
  before(async () => {
    for (const why of [skipped, skippedPostgres]) if (why !== null) console.error(`SKIPPED: ${why}`);
    to = await startService();
  });
  after(async () => {
    await to.dispose();
    rmSync(folder, { recursive: true });
  });

  function cli(...words: readonly string[]) {
    return runCli(words, { PINYON_URL: to.url, PINYON_API_KEY: API_KEY });
  }

  function migrate(target: string, from: string, ...more: readonly string[]) {
    return cli('migrate', 'films', target, '--from', from, '--state', `${folder}/state`, '--json', ...more);
  }

  async function found(name: string): Promise<Readonly<Record<string, WireRecord>>> {
    const { host } = (await to.call('GET', `/indexes/${name}`)).body as { readonly host: string };
    return (await recordsOf(host, '')) as Readonly<Record<string, WireRecord>>;
  }

  it('copies a collection of Chroma', { skip: skipped ?? false }, async () => {
    const port = await freePort();
    const words = ['run', '--host', '127.0.0.1', '--port', `${port}`, '--path', `${folder}/chroma`];
    const server = spawn(`${folder}/venv/bin/chroma`, words, { stdio: 'ignore' });
    try {
      await answering(`http://127.0.0.1:${port}/api/v2/heartbeat`, server);
      execFileSync(python, ['-c', CHROMA, `${port}`, `${COUNT}`], { stdio: 'inherit' });
      const { code, out, err } = await migrate('chroma', `chroma+http://127.0.0.1:${port}`);
      assert.equal(code, 0, err);
      assert.equal(JSON.parse(out).records, COUNT);
      const records = await found('chroma');
      assert.equal(Object.keys(records).length, COUNT);
      for (let at = 0; at < COUNT; at++) {
        const { values, metadata } = records[`id-${at}`] ?? assert.fail();
        // Chroma may return the last digit of a vector otherwise than it was given.
        for (const [place, value] of [at + 1, 0.1, -1 / (at + 3)].entries())
          assert.ok(Math.abs((values?.[place] ?? Number.NaN) - value) <= 1e-6 * (at + 1), `${at}: ${values}`);
        assert.deepEqual(metadata, { at, even: at % 2 === 0, document: `word${at} of many` });
      }
    } finally {
      server.kill();
    }
  });

  it('takes what LanceDB writes to Parquet, with vectors of 16 bits', {
    skip: skipped ?? false,
  }, async () => {
    execFileSync(python, ['-c', LANCE, folder, `${COUNT}`], { stdio: 'inherit' });
    await to.createIndex({ name: 'lance', dimension: 3, metric: 'cosine' });
    const { code, err } = await cli(
      'record',
      'upsert',
      'lance',
      `${folder}/films.parquet`,
      '--columns',
      'values=vector',
    );
    assert.equal(code, 0, err);
    const records = await found('lance');
    assert.equal(Object.keys(records).length, COUNT);
    const { values, metadata } = records['id-7'] ?? assert.fail();
    assert.deepEqual([values, metadata], [[8, 0.5, -0.25], { at: 7 }]);
  });

  describe('PostgreSQL', { skip: skippedPostgres ?? false }, () => {
    let postgres: RealPostgres;
    before(async () => {
      postgres = await startPostgres();
      await postgres.run('CREATE EXTENSION vector');
    });
    after(() => postgres.stop());

    it('copies a table of pgvector, in the order of its key and by the metric of its index', async () => {
      await postgres.run(`
        CREATE TABLE films (id bigint PRIMARY KEY, v vector(3), w halfvec(2), title text, made date, more jsonb, big bigint);
        INSERT INTO films SELECT i + 9007199254740993, ARRAY[i + 1, 0.1, 2]::vector, '[1,2]', 'title ' || i, '2026-01-02',
          jsonb_build_object('a', i, 'b', null), i + 9007199254740993 FROM generate_series(0, ${COUNT - 1}) i;
        INSERT INTO films VALUES (-1, NULL, NULL, 'no vector', NULL, NULL, NULL);
        CREATE INDEX ON films USING hnsw (v vector_l2_ops)`);
      const refused = await migrate('pg', postgres.url);
      assert.match(refused.err, /Choose the column of type vector or halfvec by --vector: v, w/);
      const { code, out, err } = await migrate('pg', postgres.url, '--vector', 'v');
      assert.equal(code, 0, err);
      const { records, losses } = JSON.parse(out);
      assert.deepEqual([records, losses.vectorless], [COUNT, 1]);
      const index = (await to.call('GET', '/indexes/pg')).body as Readonly<Record<string, unknown>>;
      assert.deepEqual([index.metric, index.dimension], ['euclidean', 3]);
      const copies = await found('pg');
      assert.equal(Object.keys(copies).length, COUNT);
      const { values, metadata } = copies['9007199254741000'] ?? assert.fail();
      assert.deepEqual(values?.map(Math.fround), [8, 0.1, 2].map(Math.fround));
      const fields = {
        title: 'title 7',
        made: '2026-01-02',
        'more.a': 7,
        w: '[1,2]',
        big: '9007199254741000',
      };
      assert.deepEqual(metadata, fields);
    });
  });
});

function whyNoPython(folder: string): string | null {
  try {
    execFileSync('python3', ['-m', 'venv', `${folder}/venv`], { stdio: 'ignore' });
    const words = ['install', '-q', '--disable-pip-version-check', 'chromadb', 'lancedb', 'pyarrow'];
    execFileSync(`${folder}/venv/bin/pip`, words, { stdio: 'ignore', timeout: 600_000 });
    return null;
  } catch {
    return 'Chroma and LanceDB could not be installed from PyPI (needs python3 with venv, and PyPI)';
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (const end = performance.now() + READY_MS_MAX; performance.now() < end; await pause(200)) {
    assert.equal(server.exitCode, null, 'the server has ended');
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok === true) return;
  }
  assert.fail(`nothing answers at ${url}`);
}
