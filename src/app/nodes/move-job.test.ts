// Moves between two nodes in one process: whatever fails on the way, one node has the index, with every write.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAMPLE_INDEX, seedProjects } from '../../catalog/conformance/conformance-suite.ts';
import type { NodeStore } from '../../catalog/port.ts';
import { SqlCatalog } from '../../catalog/sql-catalog.ts';
import { openSqlite } from '../../catalog/sqlite/open-catalog.ts';
import { fault } from '../../domain/faults.ts';
import { type Index, profileOf, storageIdOf, storedProfileOf } from '../../domain/index-model.ts';
import type { Job } from '../../domain/jobs.ts';
import type { MoveInput, MoveProgress } from '../../domain/nodes/moves.ts';
import { MOVE_KIND } from '../../domain/nodes/takeover.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { runningJob } from '../../jobs/testing/running-job.ts';
import { WriteGate } from '../model-changes/write-gate.ts';
import { Fence } from './fence.ts';
import { moveJob } from './move-job.ts';
import { ReceivedCopies } from './received-copies.ts';
import type { RemoteCopies, RemoteCopy } from './remote-copies.ts';

const INDEX: Index = { ...SAMPLE_INDEX, port: null, embed: null, dimension: 2 };
const NAMES = ['one', 'two'] as const;
type Name = (typeof NAMES)[number];

/** Two nodes on one catalog, without HTTP between them. */
class TwoNodes {
  readonly catalog: Readonly<Record<Name, SqlCatalog>>;
  readonly engine = { one: new ReferenceEngine(), two: new ReferenceEngine() };
  readonly fence: Readonly<Record<Name, Fence>>;
  readonly gates = { one: new WriteGate(), two: new WriteGate() };
  /** As each node remembers it. */
  readonly known: Record<Name, Index | undefined> = { one: undefined, two: undefined };
  /** Called before each call between the nodes; may throw, or write. */
  before: (call: string) => Promise<void> = () => Promise.resolve();
  /** The catalog as a node reaches it. */
  storeOf: (name: Name) => NodeStore = (name) => this.catalog[name].nodes;
  #runs = 0;

  private constructor(catalog: Readonly<Record<Name, SqlCatalog>>) {
    this.catalog = catalog;
    const fenceOf = (name: Name) =>
      new Fence({ nodeId: name, isHeld: () => true, indexById: () => this.known[name] });
    this.fence = { one: fenceOf('one'), two: fenceOf('two') };
  }

  static async make(): Promise<TwoNodes> {
    const db = await openSqlite({ path: ':memory:' });
    const nodes = new TwoNodes({
      one: new SqlCatalog(db, { nodeId: 'one' }),
      two: new SqlCatalog(db, { nodeId: 'two' }),
    });
    await seedProjects(nodes.catalog.one);
    for (const id of NAMES) {
      const figures = { memoryFreeBytes: 1, diskFreeBytes: 1, leaseMs: 1_000_000, isHeld: false };
      await nodes.catalog.one.nodes.renew({ id, incarnation: id, address: id, release: '1', ...figures });
    }
    await nodes.catalog.one.indexes.insert(INDEX);
    await nodes.refresh();
    await nodes.engine.one.createIndex(profileOf(nodes.index('one')));
    return nodes;
  }

  async refresh(): Promise<void> {
    const [index] = await this.catalog.one.indexes.list();
    for (const name of NAMES) this.known[name] = index;
  }

  index(name: Name): Index {
    const index = this.known[name];
    assert.ok(index);
    return index;
  }

  async owner(): Promise<Name> {
    const row = await this.catalog.one.nodes.placementOf(INDEX.id);
    return row?.nodeId === 'one' ? 'one' : 'two';
  }

  /** As a request does: held at the gate, fenced, and refused by a node that is not the owner. */
  async write(id: string, value: number): Promise<number> {
    for (;;) {
      const name = await this.owner();
      const leave = await this.gates[name].enter(INDEX.id);
      try {
        const profile = profileOf(this.index(name));
        const writer = this.fence[name].around(this.engine[name]).writer(profile);
        return await writer.upsert('', [record(id, value)]);
      } catch (error) {
        if (!(error instanceof Error) || !/another node/.test(error.message)) throw error;
        await this.refresh();
      } finally {
        leave();
      }
    }
  }

  async values(): Promise<ReadonlyMap<string, number>> {
    const name = await this.owner();
    await this.refresh();
    const reading = await this.engine[name].copies(storedProfileOf(this.index(name))).read();
    const reader = this.engine[name].reader(storedProfileOf(this.index(name)));
    const ids = (await reader.listIds({ namespace: '', prefix: '', limit: 10_000, after: null })).items;
    await reading.release();
    return new Map((await reader.fetch('', ids)).map(({ id, values }) => [id, values?.[0] ?? Number.NaN]));
  }

  received(name: Name): ReceivedCopies {
    return new ReceivedCopies({
      nodeId: name,
      store: this.catalog[name].nodes,
      engine: () => this.engine[name],
      indexById: () => this.known[name],
      assistantById: () => Promise.resolve(null),
      catchUp: () => this.refresh(),
      download: () => this.#offered,
    });
  }

  #offered: AsyncIterable<Uint8Array> = (async function* () {})();

  /** One run of a job at the present owner, or its undoing. */
  async run(to: Name, what: 'run' | 'undo' = 'run'): Promise<MoveProgress | null> {
    await this.refresh();
    const name = await this.owner();
    let progress: MoveProgress | null = null;
    const kind = moveJob({
      nodeId: name,
      store: this.storeOf(name),
      engine: this.fence[name].around(this.engine[name]),
      indexById: () => this.known[name],
      find: (id) => ({ ...NODE, id, address: id }),
      fence: this.fence[name],
      remote: this.#remote(),
      received: this.received(name),
      alone: (id, work) => this.gates[name].alone(id, work),
      catchUp: () => this.refresh(),
    });
    const job = { ...JOB, id: `move-${this.#runs++}`, input: { indexName: INDEX.name, toNodeId: to } };
    if (what === 'undo') await kind.undo?.(job, 'Failed');
    else
      await kind.run({
        job,
        signal: new AbortController().signal,
        percent: () => undefined,
        checkpoint: async (reached) => {
          progress = reached;
        },
      });
    return progress;
  }

  #remote(): RemoteCopies {
    const at = ({ node }: RemoteCopy) => this.received(node.id === 'one' ? 'one' : 'two');
    return {
      import: async (copy, bytes) => {
        await this.before('import');
        this.#offered = bytes;
        return at(copy).import(copy, 'unused');
      },
      create: (copy) => at(copy).create(copy),
      upsert: async (copy, namespace, content) => {
        await this.before('upsert');
        await at(copy).upsert(copy, namespace, content);
      },
      follow: async (copy, step) => {
        await this.before('follow');
        await at(copy).follow(copy, step);
      },
      describe: async (copy) => {
        await this.before('describe');
        return at(copy).describe(copy);
      },
      drop: async (copy) => {
        await this.before('drop');
        await at(copy).drop(copy);
      },
      refresh: () => this.before('refresh'),
    };
  }

  async close(): Promise<void> {
    await this.catalog.one.close();
  }
}

const NODE = {
  release: '1',
  seenAt: '',
  isAlive: true,
  isDraining: false,
  placed: 0,
  memoryFreeBytes: 1,
  diskFreeBytes: 1,
};

const JOB: Job<MoveInput, MoveProgress> = runningJob({
  id: 'move',
  kind: MOVE_KIND,
  projectId: INDEX.projectId,
  indexId: INDEX.id,
  input: { indexName: INDEX.name, toNodeId: 'two' },
});

function record(id: string, value: number): StorableRecord {
  return { id, values: Float32Array.of(value, 1), sparse: null, metadataJson: null };
}

describe('moves of an index', () => {
  test('take over what is written at every step, also what waits for the switch, with growing LSNs', async () => {
    const nodes = await TwoNodes.make();
    const kept = new Map<string, number>();
    const lsns: number[] = [];
    const under: Promise<unknown>[] = [];
    let n = 0;
    const write = async () => {
      const id = `w${++n}`;
      kept.set(id, n);
      lsns.push(await nodes.write(id, n));
    };
    await write();
    // Not awaited: while the switch waits for a call, writes wait for the switch.
    nodes.before = async () => {
      if (under.length < 30) under.push(write(), Promise.resolve());
    };
    for (const to of ['two', 'one', 'two'] as const) {
      under.length = 0;
      const progress = await nodes.run(to);
      assert.equal(progress?.step, 'Done');
      assert.equal(await nodes.owner(), to);
      await Promise.all(under);
      const before = Math.max(...lsns);
      await write();
      assert.ok((lsns.at(-1) ?? 0) > before);
      assert.deepEqual(await nodes.values(), kept);
    }
    assert.equal(new Set(lsns).size, lsns.length);
    assert.equal((await nodes.catalog.one.nodes.placementOf(INDEX.id))?.copy, null);
    await nodes.close();
  });

  test('leave one owner with every write, whichever call between the nodes fails, and go on or are undone', async () => {
    for (let failing = 0; failing < 6; failing++) {
      for (const end of ['run', 'undo'] as const) {
        const nodes = await TwoNodes.make();
        const kept = new Map<string, number>();
        const under: Promise<unknown>[] = [];
        let calls = 0;
        nodes.before = async (call) => {
          if (calls++ === failing && call !== 'refresh') throw new Error('the connection broke');
          if (under.length > 4) return;
          kept.set(`w${calls}`, calls);
          under.push(nodes.write(`w${calls}`, calls));
        };
        await nodes.write('first', 1);
        kept.set('first', 1);
        const isMoved = await nodes.run('two').then(
          () => true,
          () => false,
        );
        if (!isMoved) assert.equal(await nodes.owner(), 'one', `call ${failing}`);
        nodes.before = () => Promise.resolve();
        if (!isMoved || end === 'run') await nodes.run('two', end);
        await Promise.all(under);
        assert.equal(await nodes.owner(), isMoved || end === 'run' ? 'two' : 'one');
        await nodes.write('last', 99);
        kept.set('last', 99);
        assert.deepEqual(await nodes.values(), kept, `call ${failing}, then ${end}`);
        await nodes.close();
      }
    }
  });

  test('keep namespaces that stay without records, also those that are created meanwhile', async () => {
    const nodes = await TwoNodes.make();
    const create = async (name: string) => {
      const writer = nodes.engine.one.writer(profileOf(nodes.index('one')));
      await writer.createNamespace(name, null);
      await writer.upsert(name, [record('a', 1)]);
    };
    await create('before');
    nodes.before = (call) => (call === 'import' ? create('meanwhile') : Promise.resolve());
    await nodes.run('two');
    await nodes.refresh();
    const profile = storedProfileOf(nodes.index('two'));
    for (const name of ['before', 'meanwhile']) {
      await nodes.engine.two.writer(profile).deleteIds(name, ['a']);
      assert.equal((await nodes.engine.two.reader(profile).describeNamespace(name))?.recordCount, 0, name);
    }
    await nodes.close();
  });

  test('end without the switch when the model begins to be changed, and leave it what changed since', async () => {
    const nodes = await TwoNodes.make();
    await nodes.write('first', 1);
    const standby = { storageId: 'standby', dimension: 2, embed: null, documents: null };
    const at = INDEX.createdAt;
    nodes.before = async (call) => {
      if (call !== 'import') return;
      const modelChange = { state: 'Preparing', standby, startedAt: at, changedAt: at } as const;
      await nodes.catalog.one.indexes.update(INDEX.id, (index) => ({ ...index, modelChange }));
      await nodes.refresh();
    };
    await assert.rejects(nodes.run('two'), /model of index .* is being changed/);
    assert.equal(await nodes.owner(), 'one');
    await nodes.write('later', 2);
    await nodes.run('two', 'undo');
    const { changed } = await nodes.engine.one.changed(profileOf(nodes.index('one'))).list(9);
    assert.deepEqual(
      changed.flatMap(({ id }) => id ?? []),
      ['later'],
    );
    await nodes.close();
  });

  test('are undone without the records, which may be missing, of an index that is being deleted', async (t) => {
    const nodes = await TwoNodes.make();
    nodes.before = (call) => (call === 'describe' ? Promise.reject(new Error('away')) : Promise.resolve());
    await assert.rejects(nodes.run('two'), /away/);
    t.mock.method(nodes.engine.one, 'changed', () => {
      throw fault('storage-missing', { name: INDEX.name });
    });
    await assert.rejects(nodes.run('two', 'undo'), { condition: 'storage-missing' });
    await nodes.catalog.one.indexes.retire(INDEX.id, () => true);
    await nodes.run('two', 'undo');
    assert.equal((await nodes.catalog.one.nodes.placementOf(INDEX.id))?.copy, null);
    await nodes.close();
  });

  test('give up an index before the exchange may be known elsewhere, and know when it was not made', async () => {
    const nodes = await TwoNodes.make();
    await nodes.write('first', 1);
    const { one } = nodes.fence;
    const profile = profileOf(nodes.index('one'));
    one.giveUp(INDEX.id, 1);
    await assert.rejects(nodes.fence.one.around(nodes.engine.one).reader(profile).lsn() as Promise<number>);
    one.keep(INDEX.id, 1);
    one.requireHere(profile);
    await nodes.run('two');
    // What the former owner remembers does not count.
    nodes.known.one = { ...INDEX, placement: { nodeId: 'one', epoch: 1 } };
    assert.throws(() => one.requireHere(profileOf(nodes.index('one'))), /another node/);
    assert.notEqual(storageIdOf(nodes.index('two')), INDEX.id);
    await nodes.close();
  });

  test('serve nothing more where the commit of the switch ends after its connection broke', async () => {
    const nodes = await TwoNodes.make();
    await nodes.write('first', 1);
    const { nodes: store } = nodes.catalog.one;
    // As on a database: another change waits for a commit that is on its way; a read does not, and sees nothing of it.
    let commit: () => Promise<unknown> = () => Promise.resolve();
    nodes.storeOf = () => ({
      ...store,
      exchange: async (ref, copy) => {
        commit = () => store.exchange(ref, copy);
        throw new Error('the connection broke');
      },
      condemnCopy: async (id, copy) => {
        await commit();
        return store.condemnCopy(id, copy);
      },
    });
    assert.equal((await nodes.run('two'))?.step, 'Done');
    assert.equal(await nodes.owner(), 'two');
    nodes.known.one = { ...INDEX, placement: { nodeId: 'one', epoch: 1 } };
    assert.throws(() => nodes.fence.one.requireHere(profileOf(INDEX)), /another node/);
    assert.deepEqual(await nodes.values(), new Map([['first', 1]]));
    await nodes.close();
  });

  test('refuse copies that the catalog knows nothing of, and remove no index that answers', async () => {
    const nodes = await TwoNodes.make();
    const received = nodes.received('one');
    const unknown = { indexId: INDEX.id, storageId: 'another' };
    await assert.rejects(received.describe(unknown), /knows of no such copy/);
    await received.drop({ indexId: INDEX.id, storageId: INDEX.id });
    assert.ok((await nodes.engine.one.sizeOf(profileOf(nodes.index('one')))).bytes >= 0);
    await nodes.write('first', 1);
    await nodes.catalog.one.nodes.beginCopy(
      { id: INDEX.id, nodeId: 'one', epoch: 1 },
      { nodeId: 'two', storageId: 'copy' },
    );
    await assert.rejects(received.drop({ indexId: INDEX.id, storageId: INDEX.id }), /no such copy/);
    assert.deepEqual([...(await nodes.values()).keys()], ['first']);
    await nodes.close();
  });
});
