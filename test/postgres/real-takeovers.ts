// A node with records of its own that is dead for good: its indexes are made anew from backups, its assistants from their
// files, and what nobody needs any more is deleted. And assistants that move between nodes that are alive.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { effort } from '../support/effort.ts';
import { jsonlBytes } from '../support/import-files.ts';
import { until } from '../support/until.ts';
import { KEY, type ListedMove, MixedNodes, type Movable } from './nodes/mixed-nodes.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const KILLS = Number(process.env.PINYON_KILLS ?? effort({ daily: 3, long: 20 }));
const ENDED = ['Completed', 'Failed', 'Cancelled'];
const ASSISTANT = 'helper';

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres(100);
  describe('takeovers', () => {
    after(() => server.stop());
    describeDeadNode(server);
    describeAssistantMoves(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
}

async function ended(nodes: MixedNodes, name: string, kind: Movable = 'indexes'): Promise<ListedMove> {
  let latest: ListedMove | null = null;
  const isEnded = async () => {
    latest = await nodes.latestMove(name, kind);
    return latest !== null && ENDED.includes(latest.state);
  };
  await until(isEnded, `a move of ${name}`).catch((error: unknown) => {
    throw new Error(`it does not end: ${JSON.stringify(latest)}`, { cause: error });
  });
  assert.ok(latest);
  return latest;
}

/** Clocks of nodes differ by what their statements take: near the end of a lease, they disagree. */
async function untilDead(nodes: MixedNodes): Promise<void> {
  await until(async () => (await nodes.list()).some((node) => !node.alive));
  await sleep(1_000);
}

async function upload(nodes: MixedNodes, at: number, number: number): Promise<void> {
  const form = new FormData();
  const text = `The lighthouse number ${number} was built in ${1_700 + number}. It is ${number + 20} metres high.`;
  form.append('file', new Blob([text], { type: 'text/plain' }), `lighthouse-${number}.txt`);
  for (let node = at; ; node++) {
    const answer = await fetch(`${nodes.at(node).url}/assistant/files/${ASSISTANT}`, {
      method: 'POST',
      headers: { 'api-key': KEY },
      body: form,
    }).catch(() => null);
    const body = await answer?.text().catch(() => undefined);
    if (answer !== null && body !== undefined && answer.status < 300) return;
    if (answer !== null && answer.status < 500 && answer.status !== 429) assert.fail(body ?? '');
    await sleep(50);
  }
}

/** States of files by name, of all that were uploaded. */
async function filesOf(nodes: MixedNodes): Promise<ReadonlyMap<string, string>> {
  const { text, body } = await nodes.anywhere(0, 'GET', `/assistant/files/${ASSISTANT}?limit=100`);
  const { files } = body as { readonly files: readonly { readonly name: string; readonly status: string }[] };
  assert.ok(files, text);
  return new Map(files.map(({ name, status }) => [name, status]));
}

async function answerOf(nodes: MixedNodes, number: number): Promise<string> {
  const messages = [{ role: 'user', content: `When was the lighthouse number ${number} built?` }];
  const { text } = await nodes.anywhere(number, 'POST', `/assistant/chat/${ASSISTANT}`, {
    body: { messages },
  });
  return text;
}

async function ownerAt(server: RealPostgres, url: string, nodes: MixedNodes, table: string, name: string) {
  const [row] = await server.run(
    `select node_id from pinyon.placements join pinyon.${table} using (id) where name = '${name}'`,
    url,
  );
  const listed = await nodes.list();
  const owner = listed.find(({ id }) => id === row?.node_id);
  const other = listed.find(({ id }) => id !== row?.node_id);
  assert.ok(owner && other);
  const at = nodes.nodes.findIndex(({ url: own }) => new URL(own).port === new URL(owner.address).port);
  return { at, owner, other };
}

function describeDeadNode(server: RealPostgres): void {
  describe('of a dead node', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-dead-'));
    let url: string;
    let nodes: MixedNodes;
    let index: string;
    let dead: number;
    let other: { readonly id: string; readonly address: string };
    let backedUpAt: number;

    const alive = () => nodes.at(dead + 1);
    const folders = (at: number) =>
      readdirSync(join(folder, at === 0 ? 'one' : 'two', 'indexes'), { withFileTypes: true }).length;
    const write = async (host: string, ids: readonly string[]) => {
      const body = { vectors: ids.map((id, i) => ({ id, values: [i + 1, 2, 3] })) };
      const answer = await nodes.anywhere(0, 'POST', '/vectors/upsert', { index: host, body });
      assert.equal(answer.status, 200, answer.text);
      return Number(answer.headers['x-pinecone-request-lsn']);
    };

    before(async () => {
      url = await server.newDatabase();
      nodes = await MixedNodes.start(['one', 'two'], { folder, url });
      index = await nodes.createIndex('books', 0);
      ({ at: dead, other } = await ownerAt(server, url, nodes, 'indexes', 'books'));
    });
    after(async () => {
      await nodes.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    it('makes an index anew from its newest backup, and says until when it is complete', async () => {
      await write(index, ['early', 'kept']);
      for (const name of ['first', 'second']) {
        const made = await nodes.anywhere(0, 'POST', '/indexes/books/backups', { body: { name } });
        const { backup_id: id } = made.body as { readonly backup_id: string };
        await until(async () => /"Ready"/.test((await nodes.anywhere(0, 'GET', `/backups/${id}`)).text));
        await write(index, [`after-${name}`]);
      }
      backedUpAt = Date.now();
      const lsn = await write(index, ['lost']);
      mkdirSync(join(folder, 'files', 'imported'), { recursive: true });
      const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: `i${i}`, values: [i, 1, 1] }));
      writeFileSync(join(folder, 'files', 'imported', 'rows.jsonl'), jsonlBytes(rows));
      const started = await nodes.anywhere(0, 'POST', '/bulk/imports', {
        index,
        body: { uri: `file://${join(folder, 'files')}` },
      });
      const { id: importId } = started.body as { readonly id: string };
      await assert.rejects(
        nodes.move('books', other.id, { from_backup: 'newest' }),
        /412 .*is alive and has it/,
        'a living node keeps what it has',
      );
      await nodes.at(dead).kill();
      await untilDead(nodes);
      await assert.rejects(nodes.move('books', other.id), /412 .*does not answer/);
      await assert.rejects(nodes.move('books', other.id, { from_backup: 'nothing' }), /404/);
      const begun = await nodes.move('books', other.id, { from_backup: 'newest' });
      assert.ok(Date.parse(begun.complete_until ?? '') <= backedUpAt);
      const move = await ended(nodes, 'books');
      assert.equal(move.state, 'Completed', move.error ?? '');
      assert.equal(move.records_copied, 3);
      const fetched = await alive().call(
        'GET',
        '/vectors/fetch?ids=early&ids=kept&ids=after-first&ids=lost',
        {
          index,
        },
      );
      assert.equal(fetched.status, 200, fetched.text);
      for (const id of ['early', 'kept', 'after-first']) assert.ok(fetched.text.includes(`"${id}"`), id);
      assert.ok(!fetched.text.includes('"lost"'), fetched.text);
      assert.ok((await write(index, ['new'])) > lsn, 'no client waits for an LSN that never comes');
      // The import of the dead node has stored nothing here, and does not claim to have.
      await until(async () =>
        /"Failed"/.test((await alive().call('GET', `/bulk/imports/${importId}`, { index })).text),
      );
      const stats = await alive().call('GET', '/describe_index_stats', { index });
      assert.match(stats.text, /"totalVectorCount":4/);
    });

    it('keeps a node that is back from answering, and has it remove what it still has', async () => {
      await nodes.at(dead).start();
      for (let tried = 0; tried < 20; tried++) {
        const answer = await nodes.at(dead).call('GET', '/vectors/fetch?ids=lost&ids=new', { index });
        if (answer.status === 200)
          assert.ok(answer.text.includes('"new"') && !answer.text.includes('"lost"'));
        await sleep(50);
      }
      await until(async () => folders(dead) === 0);
      assert.deepEqual(await server.run('select * from pinyon.node_leftovers', url), []);
    });

    it('deletes an index of a dead node at once, and its files when the node is back', async () => {
      for (let at = 0; at < 4; at++) await nodes.createIndex(`spare-${at}`, at);
      const { at } = await ownerAt(server, url, nodes, 'indexes', 'spare-0');
      const before = folders(at);
      await nodes.at(at).kill();
      const survivor = nodes.at(at + 1);
      await untilDead(nodes);
      await until(async () => (await survivor.call('DELETE', '/indexes/spare-0')).status === 202);
      await until(async () => (await survivor.call('GET', '/indexes/spare-0')).status === 404);
      await nodes.createIndex('spare-0', at + 1);
      await nodes.at(at).start();
      await until(async () => folders(at) === before - 1);
      assert.equal((await nodes.anywhere(at, 'GET', '/indexes/spare-0')).status, 200);
    });

    it('makes an assistant anew from its files, and loses none', async () => {
      const made = await nodes.anywhere(0, 'POST', '/assistant/assistants', { body: { name: ASSISTANT } });
      assert.equal(made.status, 200, made.text);
      for (let number = 1; number <= 3; number++) await upload(nodes, number, number);
      await until(async () => [...(await filesOf(nodes)).values()].every((status) => status === 'Available'));
      const { at, other: target } = await ownerAt(server, url, nodes, 'assistants', ASSISTANT);
      // Processed by nobody when its node dies.
      await upload(nodes, 0, 4);
      await nodes.at(at).kill();
      await untilDead(nodes);
      await nodes.move(ASSISTANT, target.id, { kind: 'assistants', from_files: true });
      assert.equal((await ended(nodes, ASSISTANT, 'assistants')).state, 'Completed');
      await until(async () => {
        const files = await filesOf(nodes);
        assert.equal(files.size, 4);
        return [...files.values()].every((status) => status === 'Available');
      });
      for (let number = 1; number <= 4; number++)
        assert.match(await answerOf(nodes, number), new RegExp(String(1_700 + number)));
      await nodes.at(at).start();
      await until(async () => (await server.run('select * from pinyon.node_leftovers', url)).length === 0);
    });

    it('deletes an assistant of a dead node', async () => {
      const { at } = await ownerAt(server, url, nodes, 'assistants', ASSISTANT);
      await nodes.at(at).kill();
      const survivor = nodes.at(at + 1);
      await untilDead(nodes);
      assert.equal((await survivor.call('DELETE', `/assistant/assistants/${ASSISTANT}`)).status, 200);
      await until(
        async () => (await survivor.call('GET', `/assistant/assistants/${ASSISTANT}`)).status === 404,
      );
      await nodes.at(at).start();
    });

    it('forgets a dead node although it has what was taken over', async () => {
      const { at, owner, other: target } = await ownerAt(server, url, nodes, 'indexes', 'spare-1');
      const [project] = await server.run('select count(*) as n from pinyon.placements', url);
      assert.ok(Number(project?.n) > 0);
      await nodes.at(at).kill();
      await untilDead(nodes);
      const [left] = await server.run(
        `select string_agg(name, ',') as names from pinyon.indexes join pinyon.placements using (id) where node_id = '${owner.id}'`,
        url,
      );
      for (const name of String(left?.names).split(','))
        await until(async () => (await nodes.at(at + 1).call('DELETE', `/indexes/${name}`)).status === 202);
      await until(async () => (await nodes.list()).find(({ id }) => id === owner.id)?.placed === 0);
      await nodes.admin('DELETE', `/nodes/${owner.id}`);
      assert.deepEqual(
        (await nodes.list()).map(({ id }) => id),
        [target.id],
      );
      assert.ok(existsSync(join(folder, 'one')));
    });
  });
}

function describeAssistantMoves(server: RealPostgres): void {
  describe('moves of assistants', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-assistant-moves-'));
    let url: string;
    let nodes: MixedNodes;
    let uploaded = 0;

    before(async () => {
      url = await server.newDatabase();
      nodes = await MixedNodes.start(['one', 'two'], { folder, url });
      const made = await nodes.anywhere(0, 'POST', '/assistant/assistants', { body: { name: ASSISTANT } });
      assert.equal(made.status, 200, made.text);
      while (uploaded < 5) await upload(nodes, uploaded, ++uploaded);
    });
    after(async () => {
      await nodes.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    async function assertWhole(): Promise<void> {
      await until(async () => {
        const files = await filesOf(nodes);
        assert.equal(files.size, uploaded, 'no file is lost');
        return [...files.values()].every((status) => status === 'Available');
      });
      for (let number = 1; number <= uploaded; number++)
        assert.match(await answerOf(nodes, number), new RegExp(String(1_700 + number)));
    }

    it('take its files along, also those that are uploaded meanwhile, while it answers', async () => {
      await assertWhole();
      const { other } = await ownerAt(server, url, nodes, 'assistants', ASSISTANT);
      await nodes.move(ASSISTANT, other.id, { kind: 'assistants' });
      await upload(nodes, 0, ++uploaded);
      assert.match(await answerOf(nodes, 1), /1701/);
      const move = await ended(nodes, ASSISTANT, 'assistants');
      assert.equal(move.state, 'Completed', move.error ?? '');
      assert.ok(move.records_copied >= 5);
      assert.equal((await ownerAt(server, url, nodes, 'assistants', ASSISTANT)).owner.id, other.id);
      await assertWhole();
      await until(async () => (await server.run('select * from pinyon.node_leftovers', url)).length === 0);
    });

    it('leave it whole at one node, wherever a node is killed', async (test) => {
      const ends: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const { at, other } = await ownerAt(server, url, nodes, 'assistants', ASSISTANT);
        const uploading = upload(nodes, kill, ++uploaded);
        await nodes.move(ASSISTANT, other.id, { kind: 'assistants' });
        await sleep((kill * 173) % 600);
        const victim = nodes.at(kill % 2 === 0 ? at : at + 1);
        await victim.kill();
        await sleep(100);
        await victim.start();
        await uploading;
        ends.push((await ended(nodes, ASSISTANT, 'assistants')).state);
      }
      test.diagnostic(JSON.stringify({ kills: KILLS, ends, files: uploaded }));
      await assertWhole();
      await until(async () => (await server.run('select * from pinyon.node_leftovers', url)).length === 0);
    });

    it('happen when their node drains', async () => {
      const { owner, other } = await ownerAt(server, url, nodes, 'assistants', ASSISTANT);
      await nodes.admin('PATCH', `/nodes/${owner.id}`, { draining: true });
      await until(
        async () => (await ownerAt(server, url, nodes, 'assistants', ASSISTANT)).owner.id === other.id,
      );
      await assertWhole();
    });
  });
}
