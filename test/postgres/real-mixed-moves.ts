// Nodes with records of their own on one catalog: indexes move between nodes while they are written, and kills and
// partitions lose nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellOfCycle } from '../support/cycles.ts';
import { effort } from '../support/effort.ts';
import { found, until } from '../support/until.ts';
import { MovingAddress } from './moving-address.ts';
import { MixedNodes } from './nodes/mixed-nodes.ts';
import { placeOf } from './nodes/places.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const KILLS = Number(process.env.PINYON_KILLS ?? effort({ daily: 3, long: 40 }));
/** A move that a dead node takes part in waits for its lease. */
const KILL_MS_MAX = 60_000;
const HELD_MS_MAX = 5_000;
const ENDED = ['Completed', 'Failed', 'Cancelled'];

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres(100);
  describe('nodes with records of their own, which move', () => {
    after(() => server.stop());
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
      test.after(() => busy.end());
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
      test.after(() => busy.end());
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
