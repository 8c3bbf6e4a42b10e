// Nodes with records of their own on one catalog: any node answers any call, indexes move between nodes while they are
// written, and kills lose nothing.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pinecone } from '@pinecone-database/pinecone';
import { call } from '../support/call.ts';
import { tellOfCycle } from '../support/cycles.ts';
import { effort } from '../support/effort.ts';
import { jsonlBytes } from '../support/import-files.ts';
import { found, until } from '../support/until.ts';
import { MovingAddress } from './moving-address.ts';
import { KEY, type ListedNode, MixedNodes, NODE_SECRET } from './nodes/mixed-nodes.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const KILLS = Number(process.env.PINYON_KILLS ?? effort({ daily: 3, long: 40 }));
/** A move that a dead node takes part in waits for its lease. */
const KILL_MS_MAX = 60_000;
const HELD_MS_MAX = 5_000;
const ENDED = ['Completed', 'Failed', 'Cancelled'];
const HEAD_BYTES = 5;

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres(100);
  describe('nodes with records of their own', () => {
    after(() => server.stop());
    describeForwarding(server);
    describeMoves(server);
    describePartition(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
}

async function idsIn(nodes: MixedNodes, index: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let token = ''; ; ) {
    const page = token === '' ? '' : `&paginationToken=${encodeURIComponent(token)}`;
    const answer = await nodes.anywhere(0, 'GET', `/vectors/list?limit=100${page}`, { index });
    assert.equal(answer.status, 200, answer.text);
    const { vectors = [], pagination } = answer.body as {
      readonly vectors?: readonly { readonly id: string }[];
      readonly pagination?: { readonly next?: string };
    };
    for (const { id } of vectors) ids.add(id);
    token = pagination?.next ?? '';
    if (token === '') return ids;
  }
}

/** The node that has an index, its place among the nodes, and a node that has not. */
async function placeOf(server: RealPostgres, url: string, nodes: MixedNodes, name: string) {
  const [row] = await server.run(
    `select node_id from pinyon.placements join pinyon.indexes using (id) where name = '${name}'`,
    url,
  );
  const listed = await nodes.list();
  const owner = listed.find(({ id }) => id === row?.node_id);
  const other = listed.find(({ id, alive }) => id !== row?.node_id && alive);
  assert.ok(owner && other);
  const at = (node: ListedNode) =>
    nodes.nodes.findIndex(({ url: own }) => new URL(own).port === new URL(node.address).port);
  return { owner, other, ownerAt: at(owner), otherAt: at(other) };
}

function describeForwarding(server: RealPostgres): void {
  describe('forwarding', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-mixed-'));
    let url: string;
    let nodes: MixedNodes;
    let index: string;
    let ownerAt: number;
    let otherAt: number;

    before(async () => {
      url = await server.newDatabase();
      nodes = await MixedNodes.start(['one', 'two'], { folder, url });
      index = await nodes.createIndex('books', 0);
      ({ ownerAt, otherAt } = await placeOf(server, url, nodes, 'books'));
    });
    after(async () => {
      await nodes.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    it('spreads new indexes over the nodes, through whichever they are created', async () => {
      for (let at = 0; at < 5; at++) await nodes.createIndex(`spread-${at}`, 0);
      await until(async () => (await nodes.list()).every(({ placed }) => placed >= 2));
    });

    it('answers at each node as the node of the index does, with one request id and its headers', async () => {
      const vectors = Array.from({ length: 300 }, (_, i) => ({
        id: `v${i}`,
        values: [i, 1, 2],
        metadata: { text: 'x'.repeat(5_000) },
      }));
      const written = await nodes.at(otherAt).call('POST', '/vectors/upsert', { index, body: { vectors } });
      assert.equal(written.status, 200, written.text);
      assert.ok(Number(written.headers['x-pinecone-request-lsn']) > 0);
      const query = { vector: [0, 1, 2], topK: 300, includeMetadata: true };
      const bodies = [
        ['POST', '/query', query],
        ['POST', '/query', { vector: [1], topK: 3 }],
        ['GET', '/vectors/fetch?ids=v1&ids=v2', undefined],
        ['GET', '/describe_index_stats', undefined],
        ['GET', '/nowhere', undefined],
      ] as const;
      for (const [method, path, body] of bodies) {
        const here = await nodes.at(ownerAt).call(method, path, { index, ...(body && { body }) });
        const there = await nodes.at(otherAt).call(method, path, { index, ...(body && { body }) });
        assert.deepEqual([there.status, there.text], [here.status, here.text], path);
        assert.match(String(there.headers['x-request-id']), /^[0-9a-f-]{36}$/);
        assert.equal(there.headers['content-type'], here.headers['content-type']);
      }
      const tooLarge = {
        vectors: [{ id: 'a', values: [1, 2, 3], metadata: { text: 'x'.repeat(5 * 2 ** 20) } }],
      };
      const refused = await nodes.at(otherAt).call('POST', '/vectors/upsert', { index, body: tooLarge });
      assert.equal(refused.status, 413, refused.text);
    });

    it('serves the SDK at both nodes by the name of the index', async () => {
      for (const node of nodes.nodes) {
        const client = new Pinecone({ apiKey: KEY, controllerHostUrl: node.url });
        const sdk = client.index({ host: `${node.url}/data/books`, namespace: 'sdk' });
        await sdk.upsert({ records: [{ id: 'one', values: [1, 2, 3] }] });
        const { matches } = await sdk.query({ vector: [1, 2, 3], topK: 1 });
        assert.equal(matches[0]?.id, 'one');
      }
    });

    it('forwards gRPC with its trailers and refusals', async () => {
      const host = new URL(index).host;
      const frame = (message: readonly number[]) => Buffer.from([0, 0, 0, 0, message.length, ...message]);
      // A query of topK 5 by the id "v1", and one without topK.
      const byId = frame([0x10, 5, 0x42, 2, 0x76, 0x31]);
      for (const [message, status] of [
        [byId, '0'],
        [frame([0x42, 2, 0x76, 0x31]), '3'],
      ] as const) {
        const answers = [];
        for (const at of [ownerAt, otherAt]) {
          const session = connect(nodes.at(at).url);
          const stream = session.request({
            ':method': 'POST',
            ':path': '/VectorService/Query',
            ':authority': host,
            'content-type': 'application/grpc',
            te: 'trailers',
            'api-key': KEY,
          });
          stream.end(message);
          let grpcStatus: unknown;
          const note = (headers: Readonly<Record<string, unknown>>) => {
            grpcStatus = headers['grpc-status'] ?? grpcStatus;
          };
          stream.on('response', note).on('trailers', note);
          const pieces: Buffer[] = [];
          for await (const piece of stream) pieces.push(piece);
          session.close();
          answers.push({ grpcStatus, body: Buffer.concat(pieces) });
        }
        const [here, there] = answers;
        assert.equal(there?.grpcStatus, status);
        assert.equal(here?.grpcStatus, status);
        assert.deepEqual(there?.body, here?.body);
        assert.equal((there?.body.length ?? 0) > HEAD_BYTES, status === '0');
      }
    });

    it('refuses a forged header of a node, and forwards nothing twice', async () => {
      const { url: at } = nodes.at(otherAt);
      const host = new URL(index).host;
      const forged = { host, 'x-pinyon-node-secret': 'guessed', 'x-pinyon-forwarded-id': 'x' };
      const refused = await call(at, 'GET', '/describe_index_stats', { key: KEY, headers: forged });
      assert.equal(refused.status, 401, refused.text);
      const alone = { host, 'x-pinyon-node-secret': NODE_SECRET };
      assert.equal(
        (await call(at, 'GET', '/describe_index_stats', { headers: alone })).status,
        401,
        'no key',
      );
      const twice = await call(at, 'GET', '/describe_index_stats', { key: KEY, headers: alone });
      assert.equal(twice.status, 503, twice.text);
      assert.equal(twice.headers['retry-after'], '1');
      const hidden = await call(at, 'GET', '/node/copies/a/b', { key: KEY });
      assert.equal(hidden.status, 404, hidden.text);
    });

    it('runs jobs at the node of their index, whichever node is asked', async () => {
      mkdirSync(join(folder, 'files', 'imported'), { recursive: true });
      const rows = Array.from({ length: 500 }, (_, i) => ({ id: `i${i}`, values: [i, 1, 1] }));
      writeFileSync(join(folder, 'files', 'imported', 'rows.jsonl'), jsonlBytes(rows));
      const other = nodes.at(otherAt);
      const started = await other.call('POST', '/bulk/imports', {
        index,
        body: { uri: `file://${join(folder, 'files')}` },
      });
      assert.equal(started.status, 200, started.text);
      const { id } = started.body as { readonly id: string };
      await until(async () => {
        const { text } = await other.call('GET', `/bulk/imports/${id}`, { index });
        assert.doesNotMatch(text, /Failed/);
        return /Completed/.test(text);
      });
      const backup = await other.call('POST', '/indexes/books/backups', { body: { name: 'kept' } });
      assert.equal(backup.status, 200, backup.text);
      const { backup_id: backupId } = backup.body as { readonly backup_id: string };
      await until(async () => /"Ready"/.test((await other.call('GET', `/backups/${backupId}`)).text));
      for (const at of [0, 1]) {
        const name = `restored-${at}`;
        const path = `/backups/${backupId}/create-index`;
        const restored = await nodes.at(at).call('POST', path, { body: { name } });
        assert.equal(restored.status, 202, restored.text);
        await until(async () =>
          /"Ready"/.test((await nodes.at(at + 1).call('GET', `/indexes/${name}`)).text),
        );
        const whole = /"imported":\{"vectorCount":500\}/;
        // By its name, a node does not ask the others before it answers that it is not ready.
        await until(async () =>
          whole.test((await nodes.at(at).call('GET', `/data/${name}/describe_index_stats`)).text),
        );
      }
      const history = await other.call('GET', '/indexes/books/history');
      assert.match(history.text, /to_lsn|toLsn/);
    });

    it('has an assistant answer from its files at each node, also in the OpenAI form', async () => {
      for (const at of [0, 1]) {
        const made = await nodes
          .at(at)
          .call('POST', '/assistant/assistants', { body: { name: `helper-${at}` } });
        assert.equal(made.status, 200, made.text);
      }
      const text = 'The lighthouse of Norderney was built in 1874. It is 54 metres high.';
      for (const at of [0, 1]) {
        const node = nodes.at(at + 1);
        const form = new FormData();
        form.append('file', new Blob([text], { type: 'text/plain' }), 'lighthouse.txt');
        const files = `${node.url}/assistant/files/helper-${at}`;
        const uploaded = await fetch(files, { method: 'POST', headers: { 'api-key': KEY }, body: form });
        assert.ok(uploaded.status < 300, await uploaded.text());
        await until(async () =>
          /"Available"/.test((await nodes.at(at).call('GET', `/assistant/files/helper-${at}`)).text),
        );
        for (const asked of nodes.nodes) {
          const messages = [{ role: 'user', content: 'When was the lighthouse of Norderney built?' }];
          const body = { messages };
          const answer = await asked.call('POST', `/assistant/chat/helper-${at}`, { body });
          assert.match(answer.text, /1874/);
          const alike = { model: `assistant/helper-${at}`, messages };
          const openai = await asked.call('POST', '/v1/chat/completions', { body: alike });
          assert.match(openai.text, /1874/);
        }
      }
    });

    it('answers 503 for what a dead node has, names it, and serves all else', async () => {
      const { owner } = await placeOf(server, url, nodes, 'books');
      await nodes.at(ownerAt).kill();
      const other = nodes.at(otherAt);
      const dead = await found(async () => {
        const answer = await other.call('GET', '/describe_index_stats', { index }).catch(() => null);
        return answer?.status === 503 ? answer : undefined;
      }, 'a refusal');
      assert.ok(dead.text.includes(owner.address), dead.text);
      assert.equal(dead.headers['retry-after'], '1');
      assert.equal((await other.call('GET', '/indexes/books')).status, 200);
      await until(async () => (await nodes.list()).some(({ alive }) => !alive));
      // The node may take a second longer to know that the other one is dead, and answers 503 until then.
      const made = await found(
        () => nodes.createIndex('meanwhile', otherAt).catch(() => undefined),
        'a new index',
      );
      assert.equal((await other.call('GET', '/describe_index_stats', { index: made })).status, 200);
      await nodes.at(ownerAt).start();
      await until(async () => (await other.call('GET', '/describe_index_stats', { index })).status === 200);
    });
  });
}

function describeMoves(server: RealPostgres): void {
  describe('moves', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-moves-'));
    let url: string;
    let nodes: MixedNodes;
    let index: string;

    before(async () => {
      url = await server.newDatabase();
      nodes = await MixedNodes.start(['one', 'two'], { folder, url });
      index = await nodes.createIndex('books', 0);
      for (let batch = 0; batch < 20; batch++) {
        const vectors = Array.from({ length: 200 }, (_, i) => ({
          id: `r${batch}-${i}`,
          values: [batch, i, 1],
        }));
        assert.equal(
          (await nodes.at(0).call('POST', '/vectors/upsert', { index, body: { vectors } })).status,
          200,
        );
      }
    });
    after(async () => {
      await nodes.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    const folders = () =>
      ['one', 'two'].flatMap((name) => readdirSync(join(folder, name, 'indexes'), { withFileTypes: true }))
        .length;

    /** Writes, deletes and reads until it is told to stop, and notes what was acknowledged. */
    function traffic() {
      const state = {
        kept: new Set<string>(),
        gone: new Set<string>(),
        gapMs: 0,
        isOver: false,
        lsn: 0,
        writes: 0,
      };
      const strange: string[] = [];
      const write = async (writer: number) => {
        for (let n = 0; !state.isOver; n++) {
          const id = `w${writer}-${n}`;
          const startedAt = performance.now();
          const body = { vectors: [{ id, values: [n, writer, 1] }] };
          const answer = await nodes.anywhere(n + writer, 'POST', '/vectors/upsert', { index, body });
          if (answer.status !== 200) strange.push(`${answer.status} ${answer.text}`);
          state.kept.add(id);
          state.writes++;
          const lsn = Number(answer.headers['x-pinecone-request-lsn']);
          // One writer's writes come one after another.
          if (writer === 0 && lsn <= state.lsn) strange.push(`LSN ${lsn} after ${state.lsn}`);
          if (writer === 0) state.lsn = lsn;
          state.gapMs = Math.max(state.gapMs, performance.now() - startedAt);
          if (n % 5 !== 4) continue;
          const old = `w${writer}-${n - 3}`;
          state.kept.delete(old);
          const deleted = await nodes.anywhere(n, 'POST', '/vectors/delete', { index, body: { ids: [old] } });
          if (deleted.status !== 200) strange.push(`${deleted.status} ${deleted.text}`);
          state.gone.add(old);
        }
      };
      const read = async () => {
        for (let n = 0; !state.isOver; n++) {
          const id = [...state.kept].at(-1);
          if (id === undefined) await sleep(5);
          else {
            const answer = await nodes.anywhere(n, 'GET', `/vectors/fetch?ids=${id}`, { index });
            const isThere = answer.text.includes(`"${id}"`);
            if (answer.status !== 200 || (!isThere && state.kept.has(id)))
              strange.push(`${id}: ${answer.text}`);
          }
        }
      };
      const work = Promise.all([write(0), write(1), read()]);
      return {
        ...{ state, strange },
        end: async () => {
          state.isOver = true;
          await work;
        },
      };
    }

    async function assertWhole({ state, strange }: ReturnType<typeof traffic>): Promise<void> {
      const ids = await idsIn(nodes, index);
      assert.deepEqual(
        [...state.kept].filter((id) => !ids.has(id)),
        [],
        'lost',
      );
      assert.deepEqual(
        [...state.gone].filter((id) => ids.has(id)),
        [],
        'deleted, and back',
      );
      assert.equal([...ids].filter((id) => id.startsWith('r')).length, 4_000);
      assert.deepEqual(strange, []);
    }

    async function moved(): Promise<number | null> {
      const move = await found(async () => {
        const latest = await nodes.latestMove('books');
        return latest !== null && ENDED.includes(latest.state) ? latest : undefined;
      }, 'a move');
      assert.equal(move.state, 'Completed', move.error ?? '');
      return move.writes_held_ms;
    }

    it('lose no write, and hold writes for less than 5 s', async (test) => {
      const busy = traffic();
      const held: number[] = [];
      for (let round = 0; round < 4; round++) {
        await sleep(200);
        const { other } = await placeOf(server, url, nodes, 'books');
        await nodes.move('books', round % 2 === 0 ? other.id : other.address);
        held.push((await moved()) ?? Number.POSITIVE_INFINITY);
        assert.equal((await placeOf(server, url, nodes, 'books')).owner.id, other.id);
      }
      await sleep(300);
      await busy.end();
      const { gapMs, writes } = busy.state;
      test.diagnostic(JSON.stringify({ writes, heldMs: held, longestWriteMs: Math.round(gapMs) }));
      await assertWhole(busy);
      assert.ok(Math.max(...held) < HELD_MS_MAX, String(held));
      assert.ok(gapMs < HELD_MS_MAX, String(gapMs));
      await until(async () => folders() === 1);
    });

    it('refuse what cannot be, and say why', async () => {
      const { owner } = await placeOf(server, url, nodes, 'books');
      await assert.rejects(nodes.move('books', owner.id), /412 .*on this node already/);
      await assert.rejects(nodes.move('books', 'http://10.9.9.9:1'), /404 .*not found/);
      await assert.rejects(nodes.move('nothing', owner.id), /404/);
    });

    it('leave the index at one node, with every acknowledged write, wherever a node is killed', {
      timeout: (KILLS + 2) * KILL_MS_MAX,
    }, async (test) => {
      const busy = traffic();
      const ends: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const { other, ownerAt, otherAt } = await placeOf(server, url, nodes, 'books');
        await nodes.move('books', other.id);
        await sleep((kill * 397) % 1_500);
        const victim = nodes.at(kill % 2 === 0 ? ownerAt : otherAt);
        await victim.kill();
        await sleep(100);
        await victim.start();
        const move = await found(async () => {
          const latest = await nodes.latestMove('books');
          return latest !== null && ENDED.includes(latest.state) ? latest : undefined;
        }, 'a move');
        ends.push(move.state);
        tellOfCycle(kill);
      }
      await busy.end();
      test.diagnostic(JSON.stringify({ kills: KILLS, ends, writes: busy.state.writes }));
      await assertWhole(busy);
      const rows = await server.run('select count(*) as owners from pinyon.placements', url);
      assert.equal(String(rows[0]?.owners), '1');
      await until(async () => folders() === 1);
    });

    it('empty a node that drains, which can then be forgotten', async () => {
      for (let at = 0; at < 3; at++) await nodes.createIndex(`more-${at}`, at);
      const { owner, ownerAt } = await placeOf(server, url, nodes, 'books');
      await nodes.admin('PATCH', `/nodes/${owner.id}`, { draining: true });
      await until(async () => (await nodes.list()).find(({ id }) => id === owner.id)?.placed === 0);
      await assert.rejects(nodes.admin('DELETE', `/nodes/${owner.id}`), /412/);
      await nodes.at(ownerAt).stop();
      await until(async () => {
        await nodes.admin('DELETE', `/nodes/${owner.id}`).catch(() => undefined);
        return (await nodes.list()).length === 1;
      });
      assert.equal((await nodes.anywhere(0, 'GET', '/describe_index_stats', { index })).status, 200);
    });
  });
}

function describePartition(server: RealPostgres): void {
  describe('a partition between a node and the database', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-mixed-cut-'));
    const address = new MovingAddress();
    let nodes: MixedNodes;

    before(async () => {
      const url = await server.newDatabase();
      address.moveTo(url);
      nodes = await MixedNodes.start(['cut'], { folder, url: await address.through(url) });
    });
    after(async () => {
      await nodes.kill();
      await address.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('makes the node stop serving its indexes before its lease ends, and serve them again afterwards', async () => {
      const index = await nodes.createIndex('notes', 0);
      const write = async () =>
        (
          await nodes.at(0).call('POST', '/vectors/upsert', {
            index,
            body: { vectors: [{ id: 'a', values: [1, 2, 3] }] },
          })
        ).status;
      assert.equal(await write(), 200);
      address.silence();
      const cutAt = performance.now();
      await until(async () => (await write()) === 503);
      assert.ok(performance.now() - cutAt < 8_000);
      for (let tried = 0; tried < 5; tried++) assert.equal(await write(), 503);
      address.moveTo(server.url);
      await until(async () => (await write()) === 200);
    });
  });
}
