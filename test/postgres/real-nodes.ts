// Several nodes on one catalog in a real PostgreSQL, each a process: revoked keys, and jobs of nodes that are killed.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seedProjects } from '../../src/catalog/conformance/conformance-suite.ts';
import { openSharedCatalog } from '../../src/catalog/postgres/open-shared-catalog.ts';
import { SYSTEM } from '../../src/domain/administration/audit.ts';
import { newApiKey } from '../../src/domain/administration/credentials.ts';
import { effort } from '../support/effort.ts';
import { until } from '../support/until.ts';
import { MovingAddress } from './moving-address.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

/** A revoked key is refused by every node within this time. */
const REVOKED_MS_MAX = 1_000;
const LEASE_MS = 1_500;
const KILLS = effort({ daily: 6, long: 100 });
const JOBS_PER_KILL = 10;

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres();
  describe('several nodes on one catalog', () => {
    after(() => server.stop());
    describeKeys(server);
    describeJobs(server);
    describeLeases(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
}

class Node {
  readonly child: ChildProcess;
  #printed = '';

  constructor(program: string, ...words: readonly string[]) {
    const path = fileURLToPath(new URL(`nodes/${program}.ts`, import.meta.url));
    this.child = spawn(process.execPath, [path, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (text) => {
      this.#printed += text;
    });
  }

  get last(): string | undefined {
    return this.#printed.trim().split('\n').at(-1);
  }

  async prints(line: string): Promise<void> {
    await until(async () => this.last === line);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

function describeKeys(server: RealPostgres): void {
  it('refuses a revoked key everywhere within a second, also where no notification arrives', async (test) => {
    const url = await server.newDatabase();
    const onFailure = () => undefined;
    const { catalog, changes } = await openSharedCatalog({ url, connectionsMax: 3, onFailure });
    await changes.start();
    await seedProjects(catalog);
    const { apiKeys } = catalog.administration;
    const { value, label, sha256 } = newApiKey();
    const id = 'key-1';
    const owner = {
      organizationId: 'organization-1',
      projectId: 'project-1',
      createdAt: '2026-01-01T00:00:00.000Z',
    };
    const create = () =>
      apiKeys.create({ ...owner, id, name: 'k', roles: ['ProjectEditor'], label, sha256 }, SYSTEM);
    const nodes = [new Node('key-node', url, value), new Node('key-node', url, value)];
    test.after(() => {
      for (const node of nodes) node.kill();
    });
    for (const node of nodes) await node.prints('refused');
    for (const isNotified of [true, false]) {
      // Triggers then raise the versions only.
      if (!isNotified)
        await server.run(
          "create function pinyon.pg_notify(text, text) returns void language sql as ''; alter function pinyon.note_change() set search_path to pinyon, pg_catalog",
          url,
        );
      await create();
      for (const node of nodes) await node.prints('known');
      await apiKeys.delete({ ...owner, id }, SYSTEM);
      const revokedAt = performance.now();
      for (const node of nodes) await node.prints('refused');
      const tookMs = performance.now() - revokedAt;
      assert.ok(tookMs < REVOKED_MS_MAX, `${tookMs} ms`);
      test.diagnostic(`${isNotified ? 'notified' : 'by versions'}: ${tookMs.toFixed(0)} ms`);
    }
    await server.kill();
    await server.start();
    await create();
    for (const node of nodes) await node.prints('known');
    await catalog.close();
  });
}

function describeJobs(server: RealPostgres): void {
  it(`finishes every job of ${KILLS} killed nodes, and never runs one at two nodes at a time`, async (test) => {
    const url = await server.newDatabase();
    await server.run('create table runs (job text, pid int, begun timestamptz, ended timestamptz)', url);
    const { catalog, changes } = await openSharedCatalog({
      url,
      connectionsMax: 3,
      onFailure: () => undefined,
    });
    await changes.start();
    const start = () => new Node('job-node', url, String(LEASE_MS));
    const nodes = [start(), start(), start()];
    test.after(() => {
      for (const node of nodes) node.kill();
    });
    for (const node of nodes) await node.prints('ready');
    let jobs = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      for (let at = 0; at < JOBS_PER_KILL; at++) {
        jobs += 1;
        const nothing = { indexId: null, subject: null, input: null };
        const createdAt = new Date().toISOString();
        await catalog.jobs.insert({ id: `job-${jobs}`, kind: 'work', projectId: 'p', ...nothing, createdAt });
      }
      await sleep(100 + 50 * (kill % 8));
      const victim = kill % nodes.length;
      nodes[victim]?.kill();
      nodes[victim] = start();
      await nodes[victim].prints('ready');
    }
    await until(async () => (await catalog.jobs.active({})).length === 0);
    const counts = await catalog.jobs.counts(null);
    assert.deepEqual(counts, [{ projectId: 'p', kind: 'work', state: 'Completed', jobs }]);
    const [row] = await server.run(
      `select count(distinct job)::int as done, count(*)::int as runs, count(*) filter (where ended is null)::int as broken,
         (select count(*)::int from runs one join runs other
            on one.job = other.job and one.pid <> other.pid and one.begun < other.begun and one.ended > other.begun) as double
       from runs`,
      url,
    );
    assert.deepEqual([row?.done, row?.double], [jobs, 0]);
    assert.ok(Number(row?.broken) > 0, 'no node was killed in the middle of a job');
    test.diagnostic(JSON.stringify(row));
    await catalog.close();
  });
}

function describeLeases(server: RealPostgres): void {
  it('renews leases at once, and lets changes go on, while a node has vanished in the middle of a change', async (test) => {
    const url = await server.newDatabase();
    const address = new MovingAddress();
    address.moveTo(url);
    const open = async (at: string) => {
      const shared = await openSharedCatalog({ url: at, connectionsMax: 3, onFailure: () => undefined });
      await shared.changes.start();
      return shared.catalog;
    };
    const vanishing = await open(await address.through(url));
    const other = await open(url);
    test.after(async () => {
      await address.close();
      await vanishing.close().catch(() => undefined);
      await other.close();
    });
    const figures = { memoryFreeBytes: 1, diskFreeBytes: 1, leaseMs: 8_000 };
    const lease = { id: 'b', incarnation: 'b', address: 'http://b', release: '1', ...figures };
    assert.ok(await other.nodes.renew({ ...lease, isHeld: false }));
    const idle =
      "select count(*)::int as n from pg_stat_activity where state = 'idle in transaction' and clock_timestamp() - state_change > interval '250 ms'";
    // Until the silence comes between two statements of a change.
    const changing = new AbortController();
    const changes = (async () => {
      for (let i = 0; !changing.signal.aborted; i++)
        await vanishing.nodes.renew({ ...lease, id: `a${i}`, isHeld: false }).catch(() => undefined);
    })();
    await until(async () => {
      address.freeze();
      await sleep(300);
      if (Number((await server.run(idle, url))[0]?.n) > 0) return true;
      address.thaw();
      return false;
    });
    changing.abort();
    const askedAt = performance.now();
    assert.ok(await other.nodes.renew({ ...lease, isHeld: true }));
    const renewedMs = performance.now() - askedAt;
    await other.settings.set('name', 'value');
    const changedMs = performance.now() - askedAt;
    test.diagnostic(`renewed after ${renewedMs.toFixed(0)} ms, changed after ${changedMs.toFixed(0)} ms`);
    assert.ok(renewedMs < 1_500, `${renewedMs} ms`);
    assert.ok(changedMs < 5_000, `${changedMs} ms`);
    address.moveTo(url);
    await changes;
  });
}
