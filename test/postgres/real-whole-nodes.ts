// Several whole nodes on one PostgreSQL: any node answers any call, and kills of nodes lose nothing.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call } from '../support/call.ts';
import { effort } from '../support/effort.ts';
import { jsonlBytes } from '../support/import-files.ts';
import { found, until } from '../support/until.ts';
import { Uploads } from './nodes/uploads.ts';
import { KEY, WholeNode } from './nodes/whole-node.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const KILLS = Number(process.env.PINYON_KILLS ?? effort({ daily: 3, long: 100 }));
const REVOKED_MS_MAX = 1_000;
const BATCH = 20;
const IMPORTED = 4_000;
interface ImportState {
  readonly status: string;
  readonly recordsImported: number;
  readonly error?: string;
}

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres(100);
  describe('several whole nodes', () => {
    after(() => server.stop());
    describeNodes(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

function describeNodes(server: RealPostgres): void {
  let folder: string;
  let url: string;
  let nodes: readonly WholeNode[];
  let index: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pinyon-nodes-'));
    url = await server.newDatabase();
    const env = { PINYON_DATABASE_URL: url };
    nodes = ['one', 'two'].map((name) => new WholeNode({ name, folder, env }));
    // At the same time, on an empty database.
    await Promise.all(nodes.map((node) => node.start()));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  const nodeAt = (at: number): WholeNode => {
    const node = nodes[at % nodes.length];
    if (node === undefined) throw new Error('There is no node.');
    return node;
  };

  async function createIndex(name: string, at: number): Promise<string> {
    const body = { name, dimension: 3, metric: 'euclidean', spec: SPEC };
    const answer = await nodeAt(at).call('POST', '/indexes', { body });
    assert.equal(answer.status, 201, answer.text);
    return (answer.body as { readonly host: string }).host;
  }

  /** Repeats a call at the other node while connections fail, as a load balancer does. */
  async function anywhere(first: number, ...call: Parameters<WholeNode['call']>): Promise<Answer> {
    for (let at = first; ; at++) {
      const answer = await nodeAt(at)
        .call(...call)
        .catch(() => null);
      if (answer !== null) return answer;
      await sleep(20);
    }
  }

  async function idsIn(at: number, namespace: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let token: string | undefined; ; ) {
      const page = token === undefined ? '' : `&paginationToken=${encodeURIComponent(token)}`;
      const answer = await nodeAt(at).call('GET', `/vectors/list?namespace=${namespace}&limit=100${page}`, {
        index,
      });
      assert.equal(answer.status, 200, answer.text);
      const { vectors = [], pagination } = answer.body as {
        readonly vectors?: readonly { readonly id: string }[];
        readonly pagination?: { readonly next?: string };
      };
      ids.push(...vectors.map(({ id }) => id));
      token = pagination?.next;
      if (token === undefined || token === '') return ids;
    }
  }

  it('serves at each node what another one has just made, changed or removed', async () => {
    for (let round = 0; round < 4; round++) {
      const name = `fresh-${round}`;
      index = await createIndex(name, round);
      const vectors = [{ id: 'a', values: [round, 1, 2] }];
      const other = nodeAt(round + 1);
      const written = await other.call('POST', '/vectors/upsert', { index, body: { vectors } });
      assert.equal(written.status, 200, written.text);
      const read = await nodeAt(round).call('GET', '/vectors/fetch?ids=a', { index });
      assert.match(read.text, /"a"/);
      assert.equal((await other.call('DELETE', `/indexes/${name}`)).status, 202);
      await until(async () => (await nodeAt(round).call('GET', `/indexes/${name}`)).status === 404);
      const again = await createIndex(name, round);
      assert.equal((await nodeAt(round + 1).call('DELETE', `/indexes/${name}`)).status, 202, again);
      await until(async () => (await nodeAt(round).call('GET', `/indexes/${name}`)).status === 404);
    }
  });

  it('gives a name once when it is asked for at both nodes', async () => {
    const body = { name: 'contested', dimension: 3, metric: 'euclidean', spec: SPEC };
    const answers = await Promise.all(nodes.map((node) => node.call('POST', '/indexes', { body })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    for (const node of nodes) assert.equal((await node.call('GET', '/indexes/contested')).status, 200);
  });

  it(`loses no acknowledged write or file and ends each import once, over ${KILLS} kills`, async (test) => {
    index = await createIndex('notes', 0);
    const rows = Array.from({ length: IMPORTED }, (_, at) => ({ id: `i${at}`, values: [at, 1, 2] }));
    for (let kill = 0; kill < KILLS; kill++) {
      const namespace = join(folder, `files-${kill}`, `imported-${kill}`);
      mkdirSync(namespace, { recursive: true });
      writeFileSync(join(namespace, 'rows.jsonl'), jsonlBytes(rows));
    }
    const uploads = new Uploads();
    await uploads.prepare(nodeAt(0));
    const acknowledged: string[] = [];
    const strange: string[] = [];
    let isOver = false;
    // Work that a failure leaves must not keep the process.
    test.signal.addEventListener('abort', () => {
      isOver = true;
    });
    let batches = 0;
    let reads = 0;

    async function write(writer: number): Promise<void> {
      for (let at = 0; !isOver; at++) {
        const ids = Array.from({ length: BATCH }, (_, each) => `w${writer}-${at}-${each}`);
        const vectors = ids.map((id, each) => ({ id, values: [at + 1, each, writer] }));
        const answer = await anywhere(writer + at, 'POST', '/vectors/upsert', {
          index,
          body: { vectors, namespace: 'written' },
        });
        if (answer.status === 200) acknowledged.push(...ids);
        else strange.push(`${answer.status} ${answer.text}`);
        batches++;
      }
    }

    async function read(reader: number): Promise<void> {
      for (let at = reader; !isOver; at++) {
        const id = acknowledged.at(-1);
        if (id === undefined) await sleep(10);
        else {
          const path = `/vectors/fetch?ids=${id}&namespace=written`;
          const answer = await anywhere(at, 'GET', path, { index });
          if (answer.status !== 200 || !answer.text.includes(`"${id}"`))
            strange.push(`${answer.status} ${answer.text}`);
          reads++;
          const query = { vector: [1, 2, 3], topK: 3, namespace: 'written' };
          const found = await anywhere(at, 'POST', '/query', { index, body: query });
          if (found.status !== 200) strange.push(`${found.status} ${found.text}`);
        }
      }
    }

    const work = [write(0), write(1), read(0), read(1)];
    const imports: string[] = [];
    const uploading: Promise<void>[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const body = { uri: `file://${join(folder, `files-${kill}`)}` };
      const started = await anywhere(kill, 'POST', '/bulk/imports', { index, body });
      assert.equal(started.status, 200, started.text);
      imports.push((started.body as { readonly id: string }).id);
      uploading.push(uploads.put(kill, (tried) => nodeAt(kill + tried)));
      await sleep(300 + 200 * (kill % 5));
      await nodeAt(kill).kill();
      await nodeAt(kill).start();
    }
    isOver = true;
    await Promise.all([...work, ...uploading]);
    const ends = new Set<string>();
    for (const id of imports) {
      const done = await found(async () => {
        const { body } = await anywhere(0, 'GET', `/bulk/imports/${id}`, { index });
        const { status, recordsImported, error = '' } = body as ImportState;
        return status === 'Completed' || status === 'Failed'
          ? `${status} ${recordsImported}${error}`
          : undefined;
      }, 'an import');
      ends.add(done);
    }
    for (let at = 0; at < nodes.length; at++) {
      const kept = new Set(await idsIn(at, 'written'));
      const lost = acknowledged.filter((id) => !kept.has(id));
      assert.deepEqual(lost, []);
      for (let kill = 0; kill < KILLS; kill++)
        assert.equal((await idsIn(at, `imported-${kill}`)).length, IMPORTED);
    }
    for (const node of nodes) await uploads.verify(node);
    const files = uploads.accepted;
    test.diagnostic(
      JSON.stringify({
        kills: KILLS,
        batches,
        records: acknowledged.length,
        reads,
        files,
        imports: [...ends],
      }),
    );
    assert.deepEqual(strange, []);
    assert.deepEqual([...ends], [`Completed ${IMPORTED}`]);
  });

  it('keeps people signed in to the console at every node, and signs them out of all', async (test) => {
    const host = 'localhost:5080';
    const signIn = () =>
      call(nodeAt(0).url, 'POST', '/console/session', { headers: { host }, body: { api_key: KEY } });
    const session = async (at: number, headers: Readonly<Record<string, string>>, method = 'GET') =>
      (await call(nodeAt(at).url, method, '/console/session', { headers })).status;
    const headersOf = ({ headers, body }: Answer) => {
      const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? [];
      return { host, cookie, 'x-pinyon-session': (body as { readonly token: string }).token };
    };
    const browsers = await Promise.all(Array.from({ length: 3 }, async () => headersOf(await signIn())));
    const [first = {}, second = {}, third = {}] = browsers;
    const cookieOf = ({ cookie = '' }: { readonly cookie?: string }) => ({ cookie });
    for (const browser of browsers)
      assert.equal(await session(1, browser), 200, 'at once, at the other node');
    assert.equal(await session(1, { ...first, ...cookieOf(second) }), 401, 'halves of two sessions');
    assert.equal(await session(1, first, 'DELETE'), 204);
    assert.equal(await session(1, first), 401);
    const endedAt = performance.now();
    await until(async () => (await session(0, first)) === 401);
    const ms = performance.now() - endedAt;
    test.diagnostic(`${ms.toFixed(0)} ms`);
    assert.ok(ms < REVOKED_MS_MAX, `${ms} ms`);
    assert.equal(await session(0, second), 200, 'other sessions stay');
    await nodeAt(0).kill();
    assert.equal(await session(1, third), 200);
    await nodeAt(0).start();
    assert.equal(await session(0, third), 200, 'at a node that has just started');
    assert.equal(await session(0, first), 401);
  });

  it('answers 503 when the database is out of reach, and tells alive from ready', async () => {
    await server.kill();
    await until(async () => (await nodeAt(0).call('GET', '/health')).status === 503);
    const query = { vector: [1, 2, 3], topK: 3 };
    for (const node of nodes) {
      assert.equal((await node.call('GET', '/health/live')).status, 200);
      const answer = await node.call('POST', '/query', { index, body: query });
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.text, /UNAVAILABLE/);
    }
    await server.start();
    for (const node of nodes) {
      await until(async () => (await node.call('GET', '/health')).status === 200);
      await until(async () => (await node.call('POST', '/query', { index, body: query })).status === 200);
    }
  });

  it('keeps out a server that has the catalog to itself, and the other way round', async () => {
    const alone = new WholeNode({
      name: 'alone',
      folder,
      env: { PINYON_DATABASE_URL: url, PINYON_PUBLIC_DOMAIN: '', PINYON_PUBLIC_PORT: '' },
    });
    await assert.rejects(alone.start(), /in use by another node/);
  });

  it('refuses a revoked key at every node within a second', async (test) => {
    const status = async (node: WholeNode) => (await node.call('GET', '/indexes')).status;
    for (const node of nodes) assert.equal(await status(node), 200);
    await server.run('delete from pinyon.api_keys', url);
    const revokedAt = performance.now();
    for (const node of nodes) await until(async () => (await status(node)) === 401);
    const ms = performance.now() - revokedAt;
    test.diagnostic(`${ms.toFixed(0)} ms`);
    assert.ok(ms < REVOKED_MS_MAX, `${ms} ms`);
  });
}
