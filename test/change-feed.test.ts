// Following an index over the wire: a copy that a program keeps by the feed is the index, also after kills.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { ask, type Json } from './support/document-index.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const NAMESPACE = 'n';

interface Page {
  readonly changes: readonly {
    readonly lsn: number;
    readonly kind: string;
    readonly ids: readonly string[];
    readonly cursor: string;
  }[];
  readonly cursor: string;
  readonly has_more: boolean;
}

describe('the feed of an index', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  const create = async (name: string) => {
    const { host } = await ask(service.url, 'POST', '/indexes', {
      name,
      dimension: 2,
      metric: 'cosine',
      spec: SPEC,
    });
    return String(host);
  };
  const read = async (name: string, query: Record<string, string> = {}) => {
    const path = `/indexes/${name}/changes?${new URLSearchParams(query)}`;
    return (await ask(service.url, 'GET', path)) as unknown as Page;
  };
  const upsert = (host: string, ids: readonly string[], n = 0) =>
    ask(host, 'POST', '/vectors/upsert', {
      namespace: NAMESPACE,
      vectors: ids.map((id, at) => ({ id, values: [1, at], metadata: { n } })),
    });

  it('tells the changes after a cursor in order, in pages, and the cursor of the present without one', async () => {
    const host = await create('pages');
    const { changes, cursor } = await read('pages');
    assert.deepEqual(changes, []);
    await upsert(host, ['a', 'b', 'c']);
    await ask(host, 'POST', '/vectors/delete', { namespace: NAMESPACE, ids: ['b'] });
    const all = await read('pages', { after: cursor });
    assert.deepEqual(
      all.changes.map(({ kind, ids }) => [kind, ids]),
      [
        ['create-namespace', []],
        ['upsert', ['a', 'b', 'c']],
        ['delete', ['b']],
      ],
    );
    assert.equal(all.has_more, false);
    const first = await read('pages', { after: cursor, limit: '2' });
    assert.equal(first.has_more, true);
    const rest = await read('pages', { after: first.cursor });
    assert.deepEqual(
      [...first.changes, ...rest.changes].flatMap(({ ids }) => ids),
      ['a', 'b', 'c', 'b'],
    );
    assert.deepEqual(
      (await read('pages', { after: all.changes[1]?.cursor ?? '' })).changes.map(({ ids }) => ids),
      [['b']],
    );
    assert.deepEqual((await read('pages', { after: String(all.changes.at(-1)?.lsn) })).changes, []);
    assert.deepEqual((await read('pages', { after: '0', namespace: 'other' })).changes, []);
  });

  it('keeps a copy equal to the index, through kills in the middle of writes', async () => {
    const host = await create('copied');
    const copy = new Map<string, unknown>();
    let cursor = '0';
    const follow = async () => {
      for (let more = true; more; ) {
        const page = await read('copied', { after: cursor, limit: '7' });
        const ids = [...new Set(page.changes.flatMap((change) => change.ids))];
        for (const id of ids) copy.delete(id);
        const query = new URLSearchParams(ids.map((id) => ['ids', id]));
        if (ids.length > 0) {
          const { vectors } = await ask(host, 'GET', `/vectors/fetch?namespace=${NAMESPACE}&${query}`);
          for (const [id, vector] of Object.entries(vectors as Json)) copy.set(id, vector);
        }
        cursor = page.cursor;
        more = page.has_more;
      }
    };
    for (let round = 0; round < 3; round++) {
      const writes = Array.from({ length: 12 }, (_, at) =>
        upsert(host, [`r${at}`, `r${(at * 7 + round) % 20}`], round).catch(() => undefined),
      );
      await Promise.race(writes);
      await ask(host, 'POST', '/vectors/delete', { namespace: NAMESPACE, ids: [`r${round}`] }).catch(
        () => undefined,
      );
      await follow();
      await service.kill();
      await Promise.all(writes);
      await service.start();
    }
    await follow();
    const ids = Array.from({ length: 20 }, (_, at) => ['ids', `r${at}`]);
    const query = new URLSearchParams(ids as [string, string][]);
    const { vectors } = await ask(host, 'GET', `/vectors/fetch?namespace=${NAMESPACE}&${query}`);
    assert.deepEqual(
      Object.fromEntries([...copy].toSorted()),
      Object.fromEntries(Object.entries(vectors as Json).toSorted()),
    );
    assert.ok(copy.size > 0);
  });

  it('waits for the next change, and streams changes as events with the cursor as their id', async () => {
    const host = await create('waited');
    const { cursor } = await read('waited');
    const waited = read('waited', { after: cursor, wait_ms: '10000' });
    await upsert(host, ['a']);
    assert.ok((await waited).changes.length > 0);
    const path = `/indexes/waited/changes/stream?after=${cursor}&seconds=1`;
    const streamed = await call(service.url, 'GET', path, { key: API_KEY });
    assert.match(streamed.text, /^id: \S+\nevent: changes\ndata: \[.*"ids":\["a"\]/m);
    const [, last = ''] = /id: (\S+)/.exec(streamed.text) ?? [];
    assert.deepEqual((await read('waited', { after: last })).changes, []);
    assert.deepEqual((await read('waited', { after: last, wait_ms: '300' })).changes, []);
  });

  it('lets so many followers of an index wait and no more, and those of others', async () => {
    const host = await create('crowded');
    let isOver = false;
    // Each comes again until all are there: on a busy machine, that takes longer than one may wait.
    const follow = async () => {
      for (;;) {
        const path = '/indexes/crowded/changes?wait_ms=10000';
        const { status } = await call(service.url, 'GET', path, { key: API_KEY });
        if (isOver || (status !== 200 && status !== 429)) return status;
      }
    };
    const crowd = Array.from({ length: 64 }, follow);
    await until(async () => {
      const { status, headers } = await call(service.url, 'GET', '/indexes/crowded/changes?wait_ms=1', {
        key: API_KEY,
      });
      return status === 429 && headers['retry-after'] !== undefined;
    });
    assert.equal((await call(service.url, 'GET', '/indexes/crowded/changes', { key: API_KEY })).status, 200);
    assert.equal(
      (await call(service.url, 'GET', '/indexes/told/changes?wait_ms=1', { key: API_KEY })).status,
      404,
    );
    assert.equal(
      (await call(service.url, 'GET', '/indexes/waited/changes?wait_ms=1', { key: API_KEY })).status,
      200,
    );
    isOver = true;
    // A change ends their wait.
    await upsert(host, ['a']);
    // One that came again while another asked was refused.
    assert.ok((await Promise.all(crowd)).every((status) => status === 200 || status === 429));
  });

  it('refuses cursors of other indexes and of the future, and is printed by the command', async () => {
    const host = await create('told');
    await upsert(host, ['a', 'b']);
    const foreign = (await read('waited')).cursor;
    for (const [after, message] of [
      [foreign, /was made again or took another model/],
      ['999999', /the last write of the index has the LSN/],
      ['x', /after must be a cursor or an LSN/],
    ] as const) {
      const { status, text } = await call(service.url, 'GET', `/indexes/told/changes?after=${after}`, {
        key: API_KEY,
      });
      assert.equal(status, 400);
      assert.match(text, message);
    }
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    const { code, out } = await runCli(['changes', 'told', '--after', '0'], env);
    assert.equal(code, 0, out);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    assert.deepEqual(
      lines.map(({ kind, ids }) => [kind, ids]),
      [
        ['create-namespace', []],
        ['upsert', ['a', 'b']],
      ],
    );
  });

  it('is begun in a shell at the cursor of the present, which is printed though there is no change', async () => {
    const env = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    const present = await runCli(['changes', 'told'], env);
    assert.equal(present.out, '');
    const [, cursor = ''] = /^To go on: --after (\S+)\n$/.exec(present.err) ?? [];
    const asJson = await runCli(['changes', 'told', '--json'], env);
    assert.deepEqual(JSON.parse(asJson.out), { cursor });
    const { code, out } = await runCli(['changes', 'told', '--after', cursor], env);
    assert.deepEqual([code, out], [0, '']);
  });
});
