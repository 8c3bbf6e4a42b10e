// The service of aliases over the reference engine and a list of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NamespaceAlias } from '../../domain/aliases/alias-model.ts';
import { readAliases } from '../../domain/aliases/alias-names.ts';
import type { Index } from '../../domain/index-model.ts';
import { profileOf } from '../../domain/index-model.ts';
import { ReferenceIndex } from '../../engine/reference/reference-index.ts';
import { NEW_INDEX } from '../indexes/testing/control-plane.ts';
import { AliasService } from './alias-service.ts';

const INDEX: Index = {
  ...NEW_INDEX,
  id: 'index-1',
  projectId: 'project-1',
  dimension: 2,
  state: 'Ready',
  port: null,
  createdAt: '2026-01-01T00:00:00.000Z',
};

async function makeStore() {
  const store = new ReferenceIndex(profileOf(INDEX));
  for (const name of ['v1', 'v2']) await store.createNamespace(name, null);
  return store;
}

/** @param shared what it shares with other nodes; by default, it is alone */
async function makeService(rows = new Map<string, NamespaceAlias>(), shared?: ReferenceIndex) {
  const store = shared ?? (await makeStore());
  let failure: Error | null = null;
  const reads: (string | null)[] = [];
  let beforeRead = () => Promise.resolve();
  let earlierWrites = () => Promise.resolve();
  const namespaceAliases = {
    list: async (indexId?: string) => {
      reads.push(indexId ?? null);
      const found = [...rows.values()].filter((row) => (indexId ?? row.indexId) === row.indexId);
      await beforeRead();
      return found;
    },
    has: async (_: string, name: string) => rows.has(name),
    insert: async (alias: NamespaceAlias) => {
      if (failure !== null) throw failure;
      if (rows.has(alias.name)) return 'name-taken' as const;
      rows.set(alias.name, alias);
      return 'stored' as const;
    },
    repoint: async (alias: NamespaceAlias) => {
      if (failure !== null) throw failure;
      if (!rows.has(alias.name)) return false;
      rows.set(alias.name, alias);
      return true;
    },
    delete: async (_: string, name: string) => {
      rows.delete(name);
    },
  };
  const service = await AliasService.load({
    catalog: { namespaceAliases },
    engine: { reader: () => store, earlierWrites: () => earlierWrites() },
    now: () => new Date('2026-09-01T12:00:00.000Z'),
    changes: shared === undefined ? null : { catchUp: () => Promise.resolve() },
  });
  const target = (name: string) => {
    const shared = service.shared(INDEX.id);
    return shared === undefined ? undefined : readAliases(shared).target(name);
  };
  return {
    ...{ service, store, rows, target, reads, namespaceAliases },
    /** Has earlier writes end no sooner. Resolves when they are waited for. */
    slowDown: (until: Promise<void>): Promise<void> =>
      new Promise((resolve) => {
        earlierWrites = () => {
          resolve();
          return until;
        };
      }),
    /** What happens until earlier writes have ended, each time that they are waited for. */
    onEarlierWrites: (work: () => Promise<void>) => {
      earlierWrites = work;
    },
    failWith: (error: Error | null) => (failure = error),
    /** Before a read of rows answers with what it has found. */
    beforeRead: (work: () => Promise<void>) => {
      beforeRead = work;
    },
  };
}

test('creates, lists, repoints and deletes aliases, on disk and for requests alike', async () => {
  const { service, rows, target } = await makeService();
  assert.equal(service.shared(INDEX.id), undefined);
  const alias = await service.create(INDEX, 'live', 'v1');
  assert.deepEqual([alias.target, alias.createdAt], ['v1', alias.updatedAt]);
  assert.equal(target('live'), 'v1');
  const repointed = await service.repoint(INDEX, 'live', 'v2');
  assert.deepEqual([target('live'), repointed.createdAt], ['v2', alias.createdAt]);
  assert.ok(repointed.updatedAt > alias.updatedAt, 'although the clock stands still');
  assert.deepEqual([...rows.values()], [repointed]);
  assert.deepEqual(service.describe(INDEX.id, 'live'), repointed);
  await service.delete(INDEX, 'live');
  assert.equal(service.shared(INDEX.id), undefined);
  assert.equal(rows.size, 0);
  await assert.rejects(service.delete(INDEX, 'live'), { reason: 'ALIAS_NOT_FOUND' });
});

test('gives every refusal its reason, and leaves aliases as they were', async () => {
  const { service, target, failWith } = await makeService();
  await service.create(INDEX, 'live', 'v1');
  for (const [name, to, reason] of [
    ['live', 'v1', 'ALIAS_ALREADY_EXISTS'],
    ['v2', 'v1', 'NAME_IN_USE_BY_NAMESPACE'],
    ['next', 'v3', 'TARGET_NAMESPACE_NOT_FOUND'],
    ['next', 'live', 'TARGET_IS_ALIAS'],
    ['next', 'next', 'TARGET_IS_ALIAS'],
  ] as const) {
    await assert.rejects(service.create(INDEX, name, to), { reason });
  }
  await assert.rejects(service.create(INDEX, 'live', 'v2'), { metadata: { target_namespace: 'v1' } });
  for (const [to, reason] of [
    ['v3', 'TARGET_NAMESPACE_NOT_FOUND'],
    ['live', 'TARGET_IS_ALIAS'],
  ] as const) {
    await assert.rejects(service.repoint(INDEX, 'live', to), { reason });
  }
  failWith(new Error('disk'));
  await assert.rejects(service.repoint(INDEX, 'live', 'v2'), /disk/);
  assert.deepEqual([target('live'), target('next')], ['v1', undefined]);
  assert.equal(service.describe(INDEX.id, 'live').target, 'v1');
});

test('reads its rows at the start, and forgets an index', async () => {
  const { service, rows } = await makeService();
  await service.create(INDEX, 'live', 'v1');
  const later = await makeService(rows);
  assert.equal(later.target('live'), 'v1');
  later.service.forget(INDEX.id);
  assert.equal(later.service.shared(INDEX.id), undefined);
});

test('bounds the aliases of an index, and lists them page by page', async () => {
  const { service } = await makeService();
  for (let at = 0; at < 1_000; at += 1) {
    await service.create(INDEX, `a${String(at).padStart(4, '0')}`, at % 2 === 0 ? 'v1' : 'v2');
  }
  await assert.rejects(service.create(INDEX, 'more', 'v1'), { reason: 'ALIASES_PER_INDEX_EXCEEDED' });
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page = service.list(INDEX.id, { prefix: 'a00', target: 'v2', limit: 7, after });
    assert.equal(page.total, 50);
    seen.push(...page.items.map(({ name }) => name));
    after = page.next;
  } while (after !== null);
  assert.deepEqual([seen.length, seen[0], seen.at(-1)], [50, 'a0001', 'a0099']);
  assert.deepEqual(seen, seen.toSorted());
});

test('sees a namespace that a write before it creates', async () => {
  const { service, store } = await makeService();
  const [, outcome] = await Promise.allSettled([
    store.createNamespace('early', null),
    service.create(INDEX, 'early', 'v1'),
  ]);
  assert.equal(outcome.status, 'rejected');
});

test('reads the catalog once to take over the aliases of any number of indexes', async () => {
  const { service, rows, reads } = await makeService();
  const at = '2026-09-01T12:00:00.000Z';
  const alias = (indexId: string) => ({ indexId, name: 'live', target: 'v1', createdAt: at, updatedAt: at });
  for (let n = 0; n < 500; n += 1) rows.set(`row-${n}`, alias(`other-${n}`));
  reads.length = 0;
  await service.refresh();
  assert.deepEqual(reads, [null]);
  assert.ok(service.isAlias('other-0', 'live') && service.isAlias('other-499', 'live'));
  rows.clear();
  await service.refresh();
  assert.equal(service.isAlias('other-499', 'live'), false);
});

test('keeps what it changes while it reads what others have changed', async () => {
  const { service, reads, target, beforeRead } = await makeService();
  await service.create(INDEX, 'old', 'v1');
  let changing: Promise<unknown> = Promise.resolve();
  beforeRead(async () => {
    beforeRead(() => Promise.resolve());
    changing = Promise.all([service.create(INDEX, 'live', 'v1'), service.delete(INDEX, 'old')]);
    // One change has ended before the rows are here, the other may not have.
    await service.repoint(INDEX, 'live', 'v2').catch(() => undefined);
  });
  reads.length = 0;
  await service.refresh();
  await changing;
  assert.deepEqual(reads, [null, INDEX.id]);
  assert.deepEqual([target('live'), target('old')], ['v2', undefined]);
});

test('does not wait for a change that waits for a long write, and reads its index when that has ended', async () => {
  const { service, rows, slowDown, target } = await makeService();
  const long = Promise.withResolvers<void>();
  const waiting = slowDown(long.promise);
  const made = service.create(INDEX, 'live', 'v1');
  await waiting;
  const at = '2026-09-01T12:00:00.000Z';
  const alias = { name: 'other', target: 'v1', createdAt: at, updatedAt: at };
  rows.set('here', { ...alias, indexId: INDEX.id });
  rows.set('there', { ...alias, indexId: 'index-2' });
  await service.refresh();
  assert.ok(service.isAlias('index-2', 'other') && target('other') === undefined);
  long.resolve();
  await made;
  assert.deepEqual([target('live'), target('other')], ['v1', 'v1']);
});

test('gives a name to one of two nodes that create an alias at once, and tells the other of it', async () => {
  const [rows, store] = [new Map<string, NamespaceAlias>(), await makeStore()];
  const [one, two] = [await makeService(rows, store), await makeService(rows, store)];
  const outcomes = await Promise.allSettled([
    one.service.create(INDEX, 'live', 'v1'),
    two.service.create(INDEX, 'live', 'v2'),
  ]);
  const [won] = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [lost] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  assert.deepEqual([lost.reason, lost.metadata], ['ALIAS_ALREADY_EXISTS', { target_namespace: won?.target }]);
  assert.deepEqual([...rows.values()], [won]);
  assert.deepEqual([one.target('live'), two.target('live')], [won?.target, won?.target]);
});

test('brings back no alias that another node has deleted', async () => {
  const [rows, store] = [new Map<string, NamespaceAlias>(), await makeStore()];
  const one = await makeService(rows, store);
  await one.service.create(INDEX, 'live', 'v1');
  const two = await makeService(rows, store);
  await one.service.delete(INDEX, 'live');
  await assert.rejects(two.service.repoint(INDEX, 'live', 'v2'), { reason: 'ALIAS_NOT_FOUND' });
  assert.deepEqual([rows.size, two.target('live')], [0, undefined]);
});

test('hides no namespace that another node creates while the alias is being made', async () => {
  const [rows, store] = [new Map<string, NamespaceAlias>(), await makeStore()];
  const { service, target, namespaceAliases } = await makeService(rows, store);
  const { insert } = namespaceAliases;
  namespaceAliases.insert = async (alias) => {
    await store.createNamespace(alias.name, null);
    return insert(alias);
  };
  await assert.rejects(service.create(INDEX, 'live', 'v1'), { reason: 'NAME_IN_USE_BY_NAMESPACE' });
  assert.deepEqual([rows.size, target('live')], [0, undefined]);
});

test('hides no namespace that another node was creating, unseen, when the alias was stored', async () => {
  const [rows, store] = [new Map<string, NamespaceAlias>(), await makeStore()];
  const { service, target, onEarlierWrites } = await makeService(rows, store);
  onEarlierWrites(async () => {
    if (rows.has('live')) await store.createNamespace('live', null);
  });
  await assert.rejects(service.create(INDEX, 'live', 'v1'), { reason: 'NAME_IN_USE_BY_NAMESPACE' });
  assert.deepEqual([rows.size, target('live')], [0, undefined]);
});

test('refuses a name that an alias leads to, even where nothing is left of that namespace', async () => {
  const { service, store, target } = await makeService();
  await service.create(INDEX, 'live', 'v1');
  await store.deleteNamespace('v1');
  await assert.rejects(service.create(INDEX, 'v1', 'v2'), {
    reason: 'NAME_IN_USE_BY_NAMESPACE',
    message: 'The name v1 is the target of namespace alias live. Aliases cannot be chained.',
  });
  assert.deepEqual([target('live'), target('v1')], ['v1', undefined]);
});

test('chains no aliases of two nodes, whichever stores its own first', async () => {
  const [rows, store] = [new Map<string, NamespaceAlias>(), await makeStore()];
  const one = await makeService(rows, store);
  await one.service.create(INDEX, 'other', 'v2');
  const { insert, repoint } = one.namespaceAliases;
  const row = (name: string, target: string): NamespaceAlias => {
    const at = '2026-09-01T12:00:00.000Z';
    return { indexId: INDEX.id, name, target, createdAt: at, updatedAt: at };
  };
  const storedMeanwhile = (alias: NamespaceAlias): void => {
    one.namespaceAliases.insert = async (made) => {
      rows.set(alias.name, alias);
      return insert(made);
    };
    one.namespaceAliases.repoint = async (made) => {
      if (made.target === alias.name) rows.set(alias.name, alias);
      return repoint(made);
    };
  };
  storedMeanwhile(row('live', 'v3'));
  await assert.rejects(one.service.create(INDEX, 'v3', 'v1'), { reason: 'NAME_IN_USE_BY_NAMESPACE' });
  assert.deepEqual([rows.get('v3'), one.target('v3')], [undefined, undefined]);
  storedMeanwhile(row('v1', 'v2'));
  await assert.rejects(one.service.repoint(INDEX, 'other', 'v1'), { reason: 'TARGET_IS_ALIAS' });
  assert.deepEqual([rows.get('other')?.target, one.target('other')], ['v2', 'v2']);
});
