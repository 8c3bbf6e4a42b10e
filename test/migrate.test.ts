// Migration from one running server to another, through public calls alone.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { call } from './support/call.ts';
import { ask, DocumentIndex } from './support/document-index.ts';
import { runCli, startCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { recordsOf, upsert, type WireRecord } from './support/wire-records.ts';

const COUNT = 450;

describe('pinyon migrate', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-migrate-`);
  let from: Service;
  let to: Service;
  let host: string;
  before(async () => {
    [from, to] = await Promise.all([startService(), startService()]);
    host = await from.createIndex({ name: 'films', dimension: 3, metric: 'dotproduct', tags: { team: 'a' } });
    const records = (count: number, shift: number): WireRecord[] =>
      Array.from({ length: count }, (_, i) => ({
        // The interface fetches no ids with spaces; this record comes first when searched for.
        id: i === COUNT - 1 ? 'an id' : `id-${i}`,
        values: [i + shift, 0.1, -1 / (i + 3)],
        ...(i % 2 === 0 ? { sparseValues: { indices: [i, 4_000_000_000], values: [0.3, i + 1] } } : {}),
        ...(i % 5 === 0 ? {} : { metadata: { i, tags: ['x'] } }),
      }));
    await upsert(host, '', records(COUNT, 1));
    await upsert(host, 'other', records(20, 2));
  });
  after(async () => {
    await Promise.all([from.dispose(), to.dispose()]);
    rmSync(folder, { recursive: true });
  });

  function migrate(...words: readonly string[]) {
    const env = { PINYON_URL: to.url, PINYON_API_KEY: API_KEY, PINYON_FROM_API_KEY: API_KEY };
    return startCli(['migrate', ...words, '--state', `${folder}/state.json`], env);
  }

  async function assertSame(name: string): Promise<void> {
    const target = (await to.call('GET', `/indexes/${name}`)).body as { readonly host: string };
    for (const namespace of ['', 'other']) {
      assert.deepEqual(await recordsOf(target.host, namespace), await recordsOf(host, namespace));
    }
  }

  it('writes nothing in a dry run, and says what would be copied', async () => {
    const { code, out, err } = await migrate('films', '--from', from.url, '--dry-run', '--json').ended;
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), {
      source: 'films',
      target: 'films',
      isNew: true,
      kind: 'vectors',
      dimension: 3,
      metric: 'dotproduct',
      namespaces: 2,
      records: COUNT + 20,
    });
    assert.equal((await to.call('GET', '/indexes/films')).status, 404);
    assert.ok(!existsSync(`${folder}/state.json`));
  });

  it('refuses options that only other databases have', async () => {
    for (const words of [['--namespace', 'n'], ['--strict'], ['--nested', 'dots']]) {
      const { code, err } = await migrate('films', '--from', from.url, ...words).ended;
      assert.equal(code, 2);
      assert.match(err, new RegExp(`^${words[0]} is for other databases`));
    }
  });

  it('creates an equal index with every record, and verifies them', async () => {
    const { code, out, err } = await migrate('films', '--from', from.url, '--json').ended;
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), {
      source: 'films',
      target: 'films',
      namespaces: 2,
      records: COUNT + 20,
      compared: COUNT + 20,
      unreadable: [],
    });
    await assertSame('films');
    const { body } = await to.call('GET', '/indexes/films');
    const { metric, dimension, tags } = body as Readonly<Record<string, unknown>>;
    assert.deepEqual([metric, dimension, tags], ['dotproduct', 3, { team: 'a' }]);
    assert.ok(!existsSync(`${folder}/state.json`));
  });

  it('waits when the source is busy, and resumes after it was interrupted', async () => {
    // A gate in front of the source: refuses now and then, and stands still when told to.
    const gate = await openGate(() => host);
    try {
      const first = migrate('films', 'second', '--from', gate.base(from.url), '--pages', '1');
      await Promise.race([gate.reached(3), first.ended]);
      first.child.kill('SIGKILL');
      await first.ended;
      assert.ok(existsSync(`${folder}/state.json`));
      gate.letThrough();
      const { code, err } = await migrate('films', 'second', '--from', gate.base(from.url), '--pages', '3')
        .ended;
      assert.equal(code, 0, err);
      assert.ok(gate.refusals > 0);
      await assertSame('second');
    } finally {
      gate.server.close();
      gate.server.closeAllConnections();
    }
  });

  it('copies document indexes, with their schema, and has the target embed their texts', async () => {
    const source = await DocumentIndex.create(from, 'articles', {
      title: { type: 'string', full_text_search: { language: 'de', stemming: true } },
      text: { type: 'string', embed: { dimension: 384 }, sparse_embed: {} },
    });
    const documents = Array.from({ length: 130 }, (_, at) => ({
      _id: `an id ${at}`,
      title: `Titel ${at}`,
      text: `word${at} of many`,
      at,
      tags: ['x'],
    }));
    for (let first = 0; first < 130; first += 65)
      await source.upsert(documents.slice(first, first + 65), 'a b/c');
    await source.upsert(documents.slice(0, 3));
    const { code, out, err } = await migrate('articles', '--from', from.url, '--json').ended;
    assert.equal(code, 0, err);
    const { records, compared } = JSON.parse(out);
    assert.deepEqual([records, compared], [133, 133]);
    const target = await DocumentIndex.ready(to, 'articles');
    for (const namespace of ['a b/c', '__default__'])
      assert.deepEqual(await target.all(namespace), await source.all(namespace));
    const search = { score_by: [{ type: 'embed', field: 'text', query: 'word7 of many' }], top_k: 5 };
    const { matches } = await target.documents('search', search, 'a b/c');
    assert.deepEqual(matches, (await source.documents('search', search, 'a b/c')).matches);
    const schemas = await Promise.all(
      [from, to].map(async ({ url }) => (await ask(url, 'GET', '/indexes/articles')).schema),
    );
    assert.deepEqual(schemas[1], schemas[0]);
    await DocumentIndex.create(to, 'others', { title: { type: 'string', full_text_search: {} } });
    const other = await migrate('articles', 'others', '--from', from.url).ended;
    assert.deepEqual(
      [other.code, other.err],
      [1, 'Index others exists with another schema of documents than the source has.\n'],
    );
  });

  it('copies an index of vectors with the schema of its metadata', async () => {
    const schema = { fields: { genre: { filterable: true } } };
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1', schema } };
    const filtered = await from.createIndex({ name: 'filtered', dimension: 2, metric: 'cosine', spec });
    const records = [{ id: 'a', values: [1, 2], metadata: { genre: 'drama' } }];
    await upsert(filtered, '', records);
    const { code, err } = await migrate('filtered', '--from', from.url).ended;
    assert.equal(code, 0, err);
    const { body } = await to.call('GET', '/indexes/filtered');
    const target = body as {
      readonly host: string;
      readonly spec: { readonly serverless: { readonly schema: object } };
    };
    assert.deepEqual(target.spec.serverless.schema, schema);
    assert.deepEqual(await recordsOf(target.host, ''), await recordsOf(filtered, ''));
  });

  it('copies namespaces that are empty, and the schemas of single ones, also where they are there', async () => {
    const source = await from.createIndex({ name: 'tenants', dimension: 2 });
    const years = { fields: { year: { filterable: true } } };
    const create = (body: object) => call(source, 'POST', '/namespaces', { key: API_KEY, body });
    await create({ name: 'empty' });
    await create({ name: 'empty-years', schema: years });
    await create({ name: 'years', schema: years });
    const metadata = { year: 1999, other: 'x' };
    for (const namespace of ['plain', 'years'])
      await upsert(source, namespace, [{ id: 'a', values: [1, 2], metadata }]);
    const { code, out, err } = await migrate('tenants', '--from', from.url, '--json').ended;
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).namespaces, 4);
    const target = (await to.call('GET', '/indexes/tenants')).body as { readonly host: string };
    const namespacesOf = async (at: string) => (await call(at, 'GET', '/namespaces', { key: API_KEY })).body;
    assert.deepEqual(await namespacesOf(target.host), await namespacesOf(source));
    const again = await migrate('tenants', '--from', from.url, '--into-existing').ended;
    assert.equal(again.code, 0, again.err);
    await call(source, 'DELETE', '/namespaces/empty-years', { key: API_KEY });
    await create({ name: 'empty-years', schema: { fields: { other: { filterable: true } } } });
    const differing = await migrate('tenants', '--from', from.url, '--into-existing').ended;
    assert.equal(differing.code, 1);
    assert.match(
      differing.err,
      /^Namespace empty-years exists with another metadata schema than in the source/,
    );
    rmSync(`${folder}/state.json`, { force: true });
  });

  it('copies all others where the source does not return a record, names it, and fails', async () => {
    const ranked = await from.createIndex({ name: 'ranked', dimension: 2, metric: 'dotproduct' });
    const others = Array.from({ length: 1_001 }, (_, at) => ({ id: `r${at}`, values: [at + 2, 1] }));
    await upsert(ranked, 'n', others.slice(1));
    await upsert(ranked, 'n', [...others.slice(0, 1), { id: 'the last', values: [1, 0] }]);
    const { code, out, err } = await migrate('ranked', '--from', from.url, '--json').ended;
    assert.equal(code, 1);
    assert.match(err, /Not copied: record 'the last' of namespace n\n/);
    assert.partialDeepStrictEqual(JSON.parse(out), {
      records: others.length,
      unreadable: [{ namespace: 'n', id: 'the last' }],
    });
    const { body } = await to.call('GET', '/indexes/ranked');
    const { host: target } = body as { readonly host: string };
    assert.equal(Object.keys(await recordsOf(target, 'n')).length, others.length);
  });

  it('refuses an index for a model, whatever its text is called', async () => {
    const body = {
      name: 'embedded',
      cloud: 'aws',
      region: 'us-east-1',
      embed: { model: 'multilingual-e5-large', field_map: { text: 'body' } },
    };
    const created = await from.call('POST', '/indexes/create-for-model', { body });
    assert.equal(created.status, 201, created.text);
    const { code, err } = await migrate('embedded', '--from', from.url).ended;
    assert.equal(code, 1);
    assert.match(err, /Index embedded embeds its records itself/);
  });

  it('refuses document indexes whose texts are not stored', async () => {
    const text = { type: 'string', embed: { dimension: 384 }, store_text: false };
    await DocumentIndex.create(from, 'unstored', { text });
    const { code, err } = await migrate('unstored', '--from', from.url).ended;
    assert.equal(code, 1);
    assert.match(err, /does not store the texts of field text/);
  });

  it('refuses a target of another kind, one with records, and a state of another migration', async () => {
    await to.createIndex({ name: 'flat', dimension: 2, metric: 'dotproduct' });
    const flat = await migrate('films', 'flat', '--from', from.url).ended;
    assert.deepEqual(
      [flat.code, flat.err],
      [1, 'Index flat exists with dimension 2; expected 3, as in the source.\n'],
    );
    const full = await migrate('films', '--from', from.url).ended;
    assert.match(full.err, /Index films already has 470 records; pass --into-existing/);
    const none = await migrate('none', '--from', from.url).ended;
    assert.deepEqual([none.code, none.err], [1, 'Index none not found.\n']);
    const keyless = await runCli(['migrate', 'films', '--from', from.url], { PINYON_API_KEY: API_KEY });
    assert.equal(keyless.code, 2);
    assert.match(keyless.err, /No API key of the source/);
  });
});

interface Gate {
  readonly server: Server;
  /** Address that stands for the control plane at `url`, whose indexes are then served by the gate, too. */
  base(url: string): string;
  /** Resolves when so many fetches have been asked for; no more are answered until `letThrough`. */
  reached(fetches: number): Promise<void>;
  letThrough(): void;
  readonly refusals: number;
}

async function openGate(hostOf: () => string): Promise<Gate> {
  let control = '';
  let fetches = 0;
  let refusals = 0;
  let limit = Number.POSITIVE_INFINITY;
  let tell: (() => void) | undefined;
  const server = createServer((incoming, answer) => {
    const { url = '/', method = 'GET', headers } = incoming;
    const isFetch = url.startsWith('/vectors/fetch');
    if (isFetch && ++fetches > limit) return void tell?.();
    if (isFetch && fetches % 3 === 0) {
      refusals++;
      answer.writeHead(429, { 'retry-after': '0.05' }).end('{"message":"slow down"}');
      return;
    }
    const base = url.startsWith('/indexes') ? control : hostOf();
    const outgoing = request(`${base}${url}`, { method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('end', () => {
        const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const text = Buffer.concat(chunks).toString().replaceAll(hostOf(), own);
        answer.writeHead(reply.statusCode ?? 500, { 'content-type': 'application/json' }).end(text);
      });
    });
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    base: (url) => {
      control = url;
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    reached: (wanted) => {
      limit = wanted;
      return new Promise((resolve) => {
        tell = resolve;
      });
    },
    letThrough: () => {
      limit = Number.POSITIVE_INFINITY;
    },
    get refusals() {
      return refusals;
    },
  };
}
