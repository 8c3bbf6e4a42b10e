// Names of every allowed kind: ids, namespaces and metadata fields that programs tend to stumble over.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Connection } from './support/connection.ts';
import { type Service, startService } from './support/service.ts';

const ODD = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'a b',
  'a/b',
  '../..',
  'a%2Fb',
  '"quoted\\"',
  "it's",
  '{}',
  '#?&=+;,',
  '\u0001\u007f\t\n',
  '0',
  '-1',
  '1e3',
  'null',
  'x'.repeat(512),
];

describe('odd names', () => {
  let service: Service;
  let connection: Connection;
  before(async () => {
    service = await startService();
    connection = new Connection(
      await service.createIndex({ name: 'odd', dimension: 2, metric: 'dotproduct' }),
    );
  });
  after(async () => {
    connection.close();
    await service.dispose();
  });

  it('are valid ids', async () => {
    await connection.upsert(
      '',
      ODD.map((id, i) => ({ id, values: [i + 1, 1] })),
    );
    const sorted = ODD.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await connection.listIds(''), sorted);
    const matches = await connection.query({ vector: [1, 0], topK: 100 });
    assert.deepEqual(
      matches.map(({ id }) => id),
      ODD.toReversed(),
    );
    for (const [i, id] of ODD.entries()) {
      // Read from the text: an object built from it would lose the id __proto__.
      const { status, text } = await connection.call('GET', `/vectors/fetch?ids=${encodeURIComponent(id)}`);
      if (id.includes(' ')) assert.equal(status, 400, 'ids of a fetch must not contain spaces');
      else
        assert.ok(
          text.includes(`${JSON.stringify(id)}:{"id":${JSON.stringify(id)},"values":[${i + 1},1]`),
          text,
        );
      const [best] = await connection.query({ id, topK: 100, filter: { none: { $exists: false } } });
      assert.equal(best?.id, ODD.at(-1));
    }
    await connection.post('/vectors/delete', { ids: ODD });
    assert.deepEqual(await connection.listIds(''), []);
  });

  it('are valid namespaces, even in paths', async () => {
    for (const namespace of ODD) await connection.upsert(namespace, [{ id: 'a', values: [1, 1] }]);
    const listed = await connection.call('GET', '/namespaces');
    const { namespaces } = listed.body as { readonly namespaces: readonly { readonly name: string }[] };
    const sorted = ODD.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(
      namespaces.map(({ name }) => name).filter((name) => name !== '__default__'),
      sorted,
    );
    for (const namespace of ODD) {
      const path = `/namespaces/${encodeURIComponent(namespace)}`;
      const described = await connection.call('GET', path);
      assert.equal((described.body as { name?: string }).name, namespace, described.text);
      assert.equal((await connection.call('DELETE', path)).status, 200);
      assert.equal((await connection.call('GET', path)).status, 404);
    }
  });

  it('are valid metadata fields and values', async () => {
    const fields = ODD.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(name)}`);
    const body = `{"namespace": "meta", "vectors": [{"id": "a", "values": [1, 1], "metadata": {${fields.join(',')}}}]}`;
    assert.equal((await connection.call('POST', '/vectors/upsert', body)).status, 200);
    for (const name of ODD) {
      const text = JSON.stringify(name);
      const query = `{"namespace": "meta", "vector": [1, 1], "topK": 1, "includeMetadata": true, "filter": {${text}: ${text}}}`;
      const answer = await connection.call('POST', '/query', query);
      assert.equal((answer.body as { matches: unknown[] }).matches.length, 1, `${name}: ${answer.text}`);
      assert.ok(answer.text.includes(`${text}:${text}`), name);
    }
    const absent = { namespace: 'meta', vector: [1, 1], topK: 1, filter: { toString: { $exists: true } } };
    assert.deepEqual(await connection.query(absent), []);
  });

  it('come back unchanged, like unusual text; unpaired surrogates are refused', async () => {
    const text = 'ü 漢字 🎉 \u2028 \u0000 \\u0000 </script>';
    await connection.upsert('text', [{ id: 'a', values: [1, 1], metadata: { text, 'clé 🎉': ['é', ''] } }]);
    const found = (await connection.fetch('text', ['a'])).get('a');
    assert.deepEqual(found?.metadata, { text, 'clé 🎉': ['é', ''] });
    const matches = await connection.query({ namespace: 'text', vector: [1, 1], topK: 1, filter: { text } });
    assert.equal(matches.length, 1);
    const broken = '{"vectors": [{"id": "b", "values": [1, 1], "metadata": {"t": "\\ud800"}}]}';
    assert.equal((await connection.call('POST', '/vectors/upsert', broken)).status, 400);
  });

  it('fit a thousand times into one fetch at full length', async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(512, 'x'));
    for (let i = 0; i < ids.length; i += 500) {
      await connection.upsert(
        'long',
        ids.slice(i, i + 500).map((id) => ({ id, values: [1, 1] })),
      );
    }
    assert.equal((await connection.fetch('long', ids)).size, 1_000);
    await connection.post('/vectors/delete', { namespace: 'long', ids });
    assert.deepEqual(await connection.listIds('long'), []);
  });
});
