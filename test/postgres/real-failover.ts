// A primary that dies and its synchronous standby that takes over, under two whole nodes: no acknowledged write is lost.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { effort } from '../support/effort.ts';
import { until } from '../support/until.ts';
import { MovingAddress } from './moving-address.ts';
import { WholeNode } from './nodes/whole-node.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, startStandby, whyNotHere } from './server.ts';

const FAILOVERS = effort({ daily: 1, long: 10 });
const BACK_MS_MAX = 10_000;
const LOAD_MS = 1_500;
const BATCH = 20;
const CONNECTIONS_MAX = 100;
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
/** What callers may be told while there is no primary. */
const PASSING = new Set([429, 503]);

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) describeFailover();
else process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);

function describeFailover(): void {
  describe('a primary with a synchronous standby', () => {
    const address = new MovingAddress();
    let folder: string;
    let primary: RealPostgres;
    let nodes: readonly WholeNode[];
    let index: string;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'pinyon-failover-'));
      primary = await startPostgres(CONNECTIONS_MAX);
      const url = await address.through(await primary.newDatabase());
      address.moveTo(primary.url);
      const env = { PINYON_DATABASE_URL: url };
      nodes = ['one', 'two'].map((name) => new WholeNode({ name, folder, env }));
      await Promise.all(nodes.map((node) => node.start()));
      const body = { name: 'notes', dimension: 3, metric: 'euclidean', spec: SPEC };
      const made = await nodes[0]?.call('POST', '/indexes', { body });
      assert.equal(made?.status, 201, made?.text ?? 'there is no node');
      index = (made.body as { readonly host: string }).host;
    });
    after(async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await address.close();
      await primary.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function write(
      node: WholeNode,
      name: string,
    ): Promise<{ readonly ids: readonly string[]; readonly status: number }> {
      const ids = Array.from({ length: BATCH }, (_, each) => `${name}-${each}`);
      const vectors = ids.map((id, each) => ({ id, values: [each, 1, 2] }));
      const { status } = await node.call('POST', '/vectors/upsert', { index, body: { vectors } });
      return { ids, status };
    }

    async function kept(node: WholeNode): Promise<ReadonlySet<string>> {
      const ids = new Set<string>();
      for (let token = ''; ; ) {
        const page = token === '' ? '' : `&paginationToken=${encodeURIComponent(token)}`;
        const answer = await node.call('GET', `/vectors/list?limit=100${page}`, { index });
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

    /** Starts a standby for which every commit waits. */
    async function follow(): Promise<RealPostgres> {
      const standby = await startStandby(primary, CONNECTIONS_MAX);
      await primary.run("alter system set synchronous_standby_names = '*'");
      await primary.run('select pg_reload_conf()');
      await until(async () => {
        const rows = await primary.run("select 1 from pg_stat_replication where sync_state = 'sync'");
        return rows.length > 0;
      });
      return standby;
    }

    it(`loses no acknowledged write over ${FAILOVERS} promotions, and is back in time after each`, async (test) => {
      const acknowledged = new Set<string>();
      const statuses = new Map<number, number>();
      const backMs: number[] = [];
      for (let round = 0; round < FAILOVERS; round++) {
        const standby = await follow();
        let isOver = false;
        const load = nodes.map(async (node, number) => {
          for (let at = 0; !isOver; at++) {
            const { ids, status } = await write(node, `w${round}-${number}-${at}`);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            if (status === 200) for (const id of ids) acknowledged.add(id);
            else await sleep(20);
          }
        });
        await sleep(LOAD_MS);
        await primary.kill();
        address.moveTo(null);
        await standby.run('select pg_promote(true, 60)');
        const promotedAt = performance.now();
        // What the old primary was told does not hold for the new one.
        await standby.run('alter system reset synchronous_standby_names');
        await standby.run('select pg_reload_conf()');
        address.moveTo(standby.url);
        await Promise.all(
          nodes.map((node, number) =>
            until(async () => (await write(node, `back${round}-${number}`)).status === 200),
          ),
        );
        backMs.push(performance.now() - promotedAt);
        await sleep(LOAD_MS / 3);
        isOver = true;
        await Promise.all(load);
        await primary.stop();
        primary = standby;
        for (const node of nodes) {
          const left = await kept(node);
          assert.deepEqual(
            [...acknowledged].filter((id) => !left.has(id)),
            [],
          );
        }
      }
      test.diagnostic(
        JSON.stringify({
          records: acknowledged.size,
          statuses: [...statuses],
          backMs: backMs.map(Math.round),
        }),
      );
      assert.ok(acknowledged.size > 0);
      const strange = [...statuses.keys()].filter((status) => status !== 200 && !PASSING.has(status));
      assert.deepEqual(strange, []);
      assert.ok(
        backMs.every((ms) => ms < BACK_MS_MAX),
        `${backMs}`,
      );
    });
  });
}
