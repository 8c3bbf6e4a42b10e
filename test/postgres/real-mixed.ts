// Nodes with records of their own on one catalog: any node answers any call as the node of its index does.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from '@pinecone-database/pinecone';
import { call } from '../support/call.ts';
import { jsonlBytes } from '../support/import-files.ts';
import { found, until } from '../support/until.ts';
import { KEY, MixedNodes, NODE_SECRET } from './nodes/mixed-nodes.ts';
import { placeOf } from './nodes/places.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const HEAD_BYTES = 5;

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres(100);
  describe('nodes with records of their own', () => {
    after(() => server.stop());
    describeForwarding(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
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
