// Migration from other vector databases, against servers that answer as those document it.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { ask, DocumentIndex } from '../support/document-index.ts';
import { runCli } from '../support/run-cli.ts';
import { API_KEY, type Service, startService } from '../support/service.ts';
import { recordsOf, type WireRecord } from '../support/wire-records.ts';
import { DATABASES, type Database, type Item, openStandIn, type StandIn } from './stand-ins.ts';

/** More than two pages. */
const COUNT = 450;

function wrongItem(at: number, wrong: Partial<Item>): Item {
  return { id: `w${at}`, vector: [1, 2, 3], fields: { text: 'words' }, ...wrong };
}

describe('pinyon migrate from another vector database', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-migrate-`);
  const opened: StandIn[] = [];
  let to: Service;
  before(async () => {
    to = await startService();
  });
  after(async () => {
    for (const each of opened) each.close();
    await to.dispose();
    rmSync(folder, { recursive: true });
  });

  async function open({
    answer,
    idOf,
  }: Database): Promise<{ readonly standIn: StandIn; readonly items: readonly Item[] }> {
    const items = Array.from({ length: COUNT }, (_, at) => ({
      id: idOf(at),
      vector: [at + 1, 0.1, -1 / (at + 3)],
      fields: {
        at,
        text: `word${at} of many`,
        tags: ['x'],
        deep: { b: 'c' },
        ...(at % 2 === 0 ? { none: null } : {}),
      },
    }));
    const standIn = await openStandIn(answer, items);
    opened.push(standIn);
    return { standIn, items };
  }

  function migrate(
    { scheme, collection, key, words }: Database,
    standIn: StandIn,
    ...more: readonly string[]
  ) {
    const env = { PINYON_URL: to.url, PINYON_API_KEY: API_KEY, PINYON_FROM_API_KEY: key };
    const from = ['--from', `${scheme}+http://127.0.0.1:${standIn.port}`, '--state', `${folder}/state.json`];
    return runCli(['migrate', collection, ...more, ...from, ...words, '--json'], env);
  }

  function named(scheme: string): Database {
    const database = DATABASES.find((each) => each.scheme === scheme);
    assert.ok(database !== undefined);
    return database;
  }

  for (const database of DATABASES) {
    const { scheme, metric } = database;
    it(`copies every record of ${scheme}, flattened, into an index of its metric, and verifies them`, async () => {
      const { standIn, items } = await open(database);
      const { code, out, err } = await migrate(database, standIn, scheme, '--namespace', 'n');
      assert.equal(code, 0, err);
      const { records, compared, losses } = JSON.parse(out);
      assert.deepEqual([records, compared], [COUNT, COUNT]);
      assert.deepEqual(losses, { nested: COUNT, nulls: COUNT / 2 });
      const index = (await to.call('GET', `/indexes/${scheme}`)).body as Readonly<Record<string, unknown>>;
      assert.deepEqual([index.metric, index.dimension], [metric, 3]);
      const found = await recordsOf(String(index.host), 'n');
      assert.equal(Object.keys(found).length, COUNT);
      for (const { id, vector, fields } of items) {
        const { values, metadata, sparseValues } = found[id] as WireRecord;
        const { at, text, tags } = fields as Item['fields'];
        assert.deepEqual(values?.map(Math.fround), vector.map(Math.fround));
        assert.deepEqual(metadata, { at, text, tags, 'deep.b': 'c' });
        if (scheme === 'qdrant') assert.deepEqual(sparseValues, { indices: [3, 7], values: [0.5, 0.25] });
      }
      assert.ok(!existsSync(`${folder}/state.json`));
    });
  }

  it('resumes where it was interrupted, and reads no page again', async () => {
    const database = named('qdrant');
    const { standIn } = await open(database);
    standIn.limit = 4;
    const first = await migrate(database, standIn, 'resumed');
    assert.equal(first.code, 1);
    assert.match(first.err, /Run the same command again to resume/);
    standIn.limit = undefined;
    const before = standIn.requests.length;
    const { code, out, err } = await migrate(database, standIn, 'resumed');
    assert.equal(code, 0, err);
    assert.equal(JSON.parse(out).records, COUNT);
    const offsets = standIn.requests
      .slice(before)
      .flatMap(({ path, body }) => (path.endsWith('scroll') ? [body.offset] : []));
    assert.deepEqual(offsets, [401]);
  });

  it('says what it would do and writes nothing in a dry run, and refuses losses where told to', async () => {
    const database = named('chroma');
    const { standIn } = await open(database);
    const dry = await migrate(database, standIn, 'dry', '--dry-run');
    assert.equal(dry.code, 0, dry.err);
    const { isNew, records, metric, losses } = JSON.parse(dry.out);
    assert.deepEqual(
      [isNew, records, metric, losses],
      [true, COUNT, 'euclidean', { nested: COUNT, nulls: COUNT / 2 }],
    );
    assert.equal((await to.call('GET', '/indexes/dry')).status, 404);
    const strict = await migrate(database, standIn, 'dry', '--dry-run', '--strict');
    assert.equal(strict.code, 1);
    assert.match(strict.err, /would not stay as it is: nested objects/);
  });

  it('fails when fewer records could be read than the source counts', async () => {
    const { answer, ...database } = named('chroma');
    const short: Database = {
      ...database,
      answer: (request, items) => (request.path.endsWith('/count') ? '451' : answer(request, items)),
    };
    const { standIn } = await open(short);
    const { code, err } = await migrate(short, standIn, 'fewer');
    assert.equal(code, 1);
    assert.match(err, /The source counts 451 records, and 450 were read/);
    rmSync(`${folder}/state.json`);
  });

  it('has indexes of texts and documents embed the texts of a field', async () => {
    const database = named('weaviate');
    const { standIn } = await open(database);
    const refused = await migrate(database, standIn, 'none', '--text-field', 'text');
    assert.equal(refused.code, 2);
    await ask(to.url, 'POST', '/indexes/create-for-model', {
      name: 'texts',
      cloud: 'aws',
      region: 'us-east-1',
      embed: { model: 'multilingual-e5-large', field_map: { text: 'chunk' } },
    });
    await DocumentIndex.create(to, 'documents', { body: { type: 'string', full_text_search: {} } });
    for (const [name, field] of [
      ['texts', 'text'],
      ['documents', 'text=body'],
    ] as const) {
      const { code, out, err } = await migrate(database, standIn, name, '--text-field', field);
      assert.equal(code, 0, err);
      assert.equal(JSON.parse(out).compared, COUNT);
    }
    const documents = await DocumentIndex.ready(to, 'documents');
    assert.equal((await documents.matching('word7')).length, 1);
  });

  it('leaves out and names what cannot be stored, in dry runs too, and copies all others', async () => {
    const { answer, ...database } = named('chroma');
    const wrong: readonly Partial<Item>[] = [
      { id: 'caf\u00e9' },
      { fields: { text: 'words', note: 'x'.repeat(41_000) } },
      { vector: [0, 0, 0] },
    ];
    const some: Database = {
      ...database,
      answer: (request, items) =>
        answer(request, [...items, ...wrong.map((each, at) => wrongItem(at, each))]),
    };
    const { standIn } = await open(some);
    await ask(to.url, 'POST', '/indexes/create-for-model', {
      name: 'left-texts',
      cloud: 'aws',
      region: 'us-east-1',
      embed: { model: 'multilingual-e5-large', field_map: { text: 'chunk' } },
    });
    await DocumentIndex.create(to, 'left-documents', { body: { type: 'string', full_text_search: {} } });
    for (const [name, left, words] of [
      ['left', 3, []],
      // Zero vectors are not used there.
      ['left-texts', 2, ['--text-field', 'text=chunk']],
      ['left-documents', 2, ['--text-field', 'text=body']],
    ] as const) {
      const dry = await migrate(some, standIn, name, '--dry-run', ...words);
      const { code, out, err } = await migrate(some, standIn, name, ...words);
      assert.deepEqual([dry.code, code], [0, 0], `${dry.err} ${err}`);
      for (const text of [dry.out, out]) {
        const { records, losses, unstorable } = JSON.parse(text);
        assert.deepEqual([records, losses.unstorable], [COUNT + 3 - left, left], name);
        assert.deepEqual(
          unstorable.map(({ id }: { id: string }) => id),
          ['caf\u00e9', 'w1', 'w2'].slice(0, left),
        );
      }
      assert.match(err, /Left out: record 'w1': .*[Mm]etadata/);
      const strict = await migrate(some, standIn, name, '--strict', '--dry-run', ...words);
      assert.equal(strict.code, 1);
    }
  });

  it('fails where nothing could be stored, and begins anew when run again', async () => {
    const { answer, ...database } = named('qdrant');
    let isMended = false;
    // Cosine knows no zero vectors.
    const broken: Database = {
      ...database,
      answer: (request, items) =>
        answer(request, isMended ? items : items.map((item) => ({ ...item, vector: [0, 0, 0] }))),
    };
    const { standIn } = await open(broken);
    const words = ['broken', '--metric', 'cosine'];
    for (let run = 0; run < 2; run++) {
      const { code, err } = await migrate(broken, standIn, ...words);
      assert.equal(code, 1);
      assert.match(err, /No record could be stored\. Record [^ ]+: .*zero/);
      assert.ok(!existsSync(`${folder}/state.json`));
    }
    isMended = true;
    const { code, out, err } = await migrate(broken, standIn, ...words);
    assert.equal(code, 0, err);
    const { records, unstorable } = JSON.parse(out);
    assert.deepEqual([records, unstorable], [COUNT, undefined]);
  });

  it('takes no password from the address, and says which databases it knows', async () => {
    const options = { PINYON_URL: to.url, PINYON_API_KEY: API_KEY };
    for (const [from, expected] of [
      ['postgres://user:secret@localhost/db', /must have no password/],
      ['postgres://user@localhost/db?password=secret', /must have no password/],
      ['other+http://localhost', /--from must begin with/],
    ] as const) {
      const { code, err } = await runCli(['migrate', 'films', '--from', from], options);
      assert.equal(code, 2);
      assert.match(err, expected);
      assert.doesNotMatch(err, /secret/);
    }
  });
});
