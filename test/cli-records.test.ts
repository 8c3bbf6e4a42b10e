// Ring 3: the commands for indexes, records and documents, as scripts and pipes use them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { type Commands, commandsWith } from './support/commands.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

describe('commands for records', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-records-`);
  let service: Service;
  let environment: Readonly<Record<string, string>>;
  let run: Commands['run'];
  let json: Commands['json'];
  before(async () => {
    service = await startService();
    environment = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY, XDG_CONFIG_HOME: folder };
    ({ run, json } = commandsWith(environment));
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  it('stores the same records from JSON lines, CSV and Parquet, and prints them as it reads them', async () => {
    const lines = '{"id":"a","values":[1,0],"metadata":{"year":1979}}\n{"id":"007","values":[0,1]}\n';
    await run(['index', 'create', 'films', '--dimension', '2']);
    assert.deepEqual(await json(['record', 'upsert', 'films'], lines), {
      index: 'films',
      namespace: '__default__',
      upserted: 2,
    });
    const csv = 'id,values,year\na,"[1,0]",1979\n007,"[0,1]",\n';
    await run(['record', 'upsert', 'films', '-n', 'csv', '--format', 'csv'], csv);
    const renamed = 'key,embedding,year\na,"[1,0]",1979\n007,"[0,1]",\n';
    const columns = ['--columns', 'id=key,values=embedding'];
    await run(['record', 'upsert', 'films', '-n', 'renamed', '--format', 'csv', ...columns], renamed);
    assert.equal(
      (await run(['record', 'fetch', 'films', '-n', 'renamed', '007', 'a'])).out,
      (await run(['record', 'fetch', 'films', '-n', 'csv', '007', 'a'])).out,
    );
    await run(['namespace', 'delete', 'films', 'renamed', '--yes']);
    await run(['export', 'films', '--to', `${folder}/down`, '--namespace', 'csv', '--format', 'parquet']);
    const parquet = `${folder}/down/csv/part-00000.parquet`;
    await run(['record', 'upsert', 'films', '-n', 'parquet', parquet]);
    const stored = await Promise.all(
      ['__default__', 'csv', 'parquet'].map((name) =>
        run(['record', 'fetch', 'films', 'a', '007', '-n', name]),
      ),
    );
    assert.deepEqual(
      stored.map(({ out }) => out),
      [lines, lines, lines],
    );
    assert.equal((await run(['namespaces', 'list', 'films'])).out, '__default__\t2\ncsv\t2\nparquet\t2\n');
  });

  it('lets ids flow through pipes from one command to the next', async () => {
    const ids = (await run(['record', 'list', 'films', '-n', 'csv'])).out;
    assert.equal(ids, '007\na\n');
    const records = (await run(['record', 'fetch', 'films', '-n', 'csv'], ids)).out;
    assert.equal(records.split('\n').length, 3);
    await run(['record', 'delete', 'films', '-n', 'csv'], 'a\n');
    assert.equal((await run(['record', 'list', 'films', '-n', 'csv'])).out, '007\n');
    const tooLong = `${'x'.repeat(5_000)}\n007\n`;
    const refused = await runCli(['record', 'delete', 'films', '-n', 'csv'], environment, tooLong);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /A line of the ids is longer than 4096 bytes/);
    assert.equal((await run(['record', 'list', 'films', '-n', 'csv'])).out, '007\n');
  });

  it('fetches ids with spaces and signs of URLs, as record list prints them', async () => {
    const odd = ['a b', 'a/b?c=d&e%20f', ' '];
    const lines = odd.map((id) => `${JSON.stringify({ id, values: [1, 0] })}\n`).join('');
    await run(['record', 'upsert', 'films', '-n', 'odd'], lines);
    const ids = (await run(['record', 'list', 'films', '-n', 'odd'])).out;
    const fetched = (await run(['record', 'fetch', 'films', '-n', 'odd'], ids)).out;
    assert.deepEqual(fetched.split('\n').toSorted(), lines.split('\n').toSorted());
    const absent = await runCli(
      ['record', 'update', 'films', 'b a', '-n', 'odd', '--values', '1,0'],
      environment,
    );
    assert.match(absent.err, /has no record b a in namespace odd/);
    await run(['record', 'delete', 'films', '-n', 'odd'], ids);
  });

  it('queries by vector, id and filter', async () => {
    const near = (await run(['record', 'query', 'films', '--vector', '[1, 0.1]', '-k', '1'])).out;
    assert.match(near, /^a\t0\.99\d+\t\{"year":1979\}\n$/);
    const filtered = ['record', 'query', 'films', '--id', '007', '--filter', '{"year":{"$gt":1970}}'];
    const [first, ...others] = await json<readonly { readonly id: string }[]>(filtered);
    assert.deepEqual([first?.id, others.length], ['a', 0]);
  });

  it('refuses to destroy anything unasked, and destroys it with --yes', async () => {
    for (const words of [
      ['index', 'delete', 'films'],
      ['namespace', 'delete', 'films', 'parquet'],
      ['record', 'delete', 'films', '--all'],
    ]) {
      const { code, err } = await runCli(words, environment);
      assert.equal(code, 1, err);
      assert.match(err, /will be deleted\. Give --yes to carry it out\. Nothing was changed\.\n$/);
    }
    await run(['namespace', 'delete', 'films', 'parquet', '--yes']);
    assert.equal((await json<readonly unknown[]>(['namespace', 'list', 'films'])).length, 2);
  });

  it('stores texts and documents, and finds them by words and by meaning', async () => {
    await run(['index', 'create', 'notes', '--model', 'llama-text-embed-v2']);
    await run(['record', 'upsert', 'notes'], '{"id":"cat","text":"The cat sat on the mat"}\n');
    assert.match((await run(['record', 'query', 'notes', '--text', 'a cat on a mat'])).out, /^cat\t/);
    await run(['record', 'upsert', 'notes', '--format', 'csv'], 'id,text\nnovel,1984\n');
    assert.match((await run(['record', 'fetch', 'notes', 'novel'])).out, /"text":"1984"/);
    const schema = '{"title":{"type":"string","full_text_search":{}}}';
    await run(['index', 'create', 'recipes', '--schema', schema]);
    writeFileSync(
      `${folder}/recipes.json`,
      '[{"_id":"pie","title":"Apple pie"},{"_id":"soup","title":"Soup"}]',
    );
    await run(['document', 'upsert', 'recipes', `${folder}/recipes.json`]);
    assert.match(
      (await run(['document', 'search', 'recipes', 'pie'])).out,
      /^pie\t[\d.]+\t\{"title":"Apple pie"\}\n$/,
    );
    const counting = ['document', 'search', 'recipes', 'pie soup', '-k', '1', '--count'];
    const counted = await run(counting);
    assert.equal(counted.err, '2 documents match.\n');
    assert.equal(counted.out.split('\n').length, 2);
    const { matches, count } = JSON.parse((await run([...counting, '--json'])).out);
    assert.deepEqual([matches.length, count], [1, { value: 2, exact: true }]);
    assert.equal(
      (await run(['document', 'fetch', 'recipes', 'soup'])).out,
      '{"_id":"soup","title":"Soup"}\n',
    );
    assert.equal((await run(['document', 'list', 'recipes'])).out, 'pie\nsoup\n');
    const words = ['document', 'upsert', 'recipes', '--format', 'csv', '--text-columns', 'zip'];
    await run([...words, '-n', 'csv'], '_id,title,zip,year\nnovel,1984,12345,1984\n');
    const novel = { _id: 'novel', title: '1984', zip: '12345', year: 1984 };
    assert.deepEqual(
      JSON.parse((await run(['document', 'fetch', 'recipes', 'novel', '-n', 'csv'])).out),
      novel,
    );
    const jsonl = ['document', 'upsert', 'recipes', '--text-columns', 'zip'];
    assert.equal((await runCli(jsonl, environment, '{}')).code, 2);
    const wrong = await runCli(['record', 'query', 'recipes', '--id', 'pie'], environment);
    assert.deepEqual(
      [wrong.code, wrong.err],
      [1, "recipes is an index of documents: use 'pinyon document search'.\n"],
    );
  });

  it('refuses rows without an id, and with numbers as ids that JSON does not hold, and names them', async () => {
    for (const id of ['9007199254740993', '-9007199254740993', '1.5', 'null']) {
      const lines = `{"id":7,"values":[1,1]}\n{"id":${id},"values":[1,1]}\n`;
      const { code, err } = await runCli(['record', 'upsert', 'films', '-n', 'numbered'], environment, lines);
      assert.equal(code, 1, id);
      assert.match(err, /^Row 2 of standard input cannot be stored: (the id is a number|no id)/, id);
    }
  });

  it('stores cells that only look like JSON as texts, and refuses metadata that is none', async () => {
    const csv = ['id,values,note', 'n1,"[1,0]",[deleted]', 'n2,"[0,1]",{x}'].join('\n');
    await run(['record', 'upsert', 'films', '-n', 'notes', '--format', 'csv'], csv);
    const { out } = await run(['record', 'fetch', 'films', '-n', 'notes', 'n1', 'n2']);
    const notes = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { metadata: object }).metadata);
    assert.deepEqual(notes, [{ note: '[deleted]' }, { note: '{x}' }]);
    const words = ['record', 'upsert', 'films', '-n', 'notes', '--format', 'csv'];
    const { code, err } = await runCli(words, environment, 'id,values,metadata\nm,"[1,0]",{x}\n');
    assert.equal(code, 1);
    assert.equal(err, 'Row 1 of standard input cannot be stored: its metadata is no JSON object.\n');
  });

  it('names the row of a file that cannot be read, and what has been stored', async () => {
    const { code, err } = await runCli(
      ['record', 'upsert', 'films'],
      environment,
      '{"id":"x","values":[1,1]}\n{"id":\n',
    );
    assert.equal(code, 1);
    assert.match(err, /^standard input cannot be read near row 2: /);
    const refused = await runCli(['record', 'upsert', 'films'], environment, '{"id":"x","values":[1]}\n');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /dimension 1/);
  });
});
