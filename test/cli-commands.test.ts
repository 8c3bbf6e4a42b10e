// Ring 3: the commands for data, assistants and people, as scripts and pipes use them, against one server.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { OWNER } from './support/admin.ts';
import { type CliResult, runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

describe('commands', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-commands-`);
  let service: Service;
  let environment: Readonly<Record<string, string>>;
  before(async () => {
    service = await startService({
      env: { PINYON_ADMIN_CLIENT_ID: OWNER.clientId, PINYON_ADMIN_CLIENT_SECRET: OWNER.clientSecret },
    });
    environment = {
      PINYON_URL: service.url,
      PINYON_API_KEY: API_KEY,
      PINYON_CLIENT_ID: OWNER.clientId,
      PINYON_CLIENT_SECRET: OWNER.clientSecret,
      XDG_CONFIG_HOME: folder,
    };
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  /** Runs a command that must succeed; `input` is piped in. */
  async function run(words: readonly string[], input?: string): Promise<CliResult> {
    const result = await runCli(words, environment, input);
    assert.equal(result.code, 0, `${words.join(' ')}: ${result.err}`);
    return result;
  }

  async function json<Json>(words: readonly string[], input?: string): Promise<Json> {
    return JSON.parse((await run([...words, '--json'], input)).out) as Json;
  }

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
    assert.equal(
      (await run(['document', 'fetch', 'recipes', 'soup'])).out,
      '{"_id":"soup","title":"Soup"}\n',
    );
    assert.equal((await run(['document', 'list', 'recipes'])).out, 'pie\nsoup\n');
    const wrong = await runCli(['record', 'query', 'recipes', '--id', 'pie'], environment);
    assert.deepEqual(
      [wrong.code, wrong.err],
      [1, "recipes is an index of documents: use 'pinyon document search'.\n"],
    );
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

  it('uploads a folder, answers from it with sources, and names the files that were refused', async () => {
    mkdirSync(`${folder}/manuals/sub`, { recursive: true });
    writeFileSync(
      `${folder}/manuals/pump.md`,
      '# Filter\n\nOpen the lid to change the filter of the pump.\n',
    );
    writeFileSync(`${folder}/manuals/sub/false.pdf`, 'no PDF');
    writeFileSync(`${folder}/manuals/picture.bin`, 'of another type');
    await run(['assistant', 'create', 'helper']);
    const uploaded = await runCli(['assistant', 'upload', 'helper', `${folder}/manuals`], environment);
    assert.equal(uploaded.code, 1);
    assert.match(uploaded.err, /^1 file of other types left out\.\n.*sub\/false\.pdf: .*PDF/s);
    assert.equal(uploaded.out, 'Assistant helper knows 1 file; 1 failed.\n');
    const { out } = await run(['assistant', 'ask', 'helper', 'How do I change the filter?']);
    assert.match(out, /Open the lid to change the filter of the pump\. \[1\]\n\n\[1\] pump\.md\n$/);
    const answer = await json<{ readonly message: { readonly content: string } }>(
      ['assistant', 'ask', 'helper'],
      'How do I change the filter?',
    );
    assert.match(answer.message.content, /Open the lid/);
  });

  it('creates keys that work as their roles say, and administers projects and people', async () => {
    const created = await run(['key', 'create', 'reader', '--role', 'DataPlaneViewer']);
    assert.match(created.out, /^pcsk_\S+\n$/);
    const reader = { ...environment, PINYON_API_KEY: created.out.trim() };
    assert.equal((await runCli(['record', 'fetch', 'films', 'a'], reader)).code, 0);
    const refused = await runCli(['record', 'delete', 'films', 'a'], reader);
    assert.deepEqual([refused.code, /required\.\n$/.test(refused.err)], [1, true], refused.err);
    const keys = await json<readonly { readonly id: string; readonly name: string }[]>(['key', 'list']);
    const { id = '' } = keys.find(({ name }) => name === 'reader') ?? {};
    await run(['key', 'delete', id, '--yes']);
    assert.equal((await runCli(['record', 'fetch', 'films', 'a'], reader)).code, 1);
    await run(['project', 'create', 'second']);
    const ambiguous = await runCli(['key', 'list'], environment);
    assert.deepEqual([ambiguous.code, ambiguous.err], [1, 'Pass --project: default, second.\n']);
    const misspelled = await runCli(['key', 'list', '--project', 'secnod'], environment);
    assert.match(misspelled.err, /^There is no project secnod\. Is second meant\?\n$/);
    await run(['project', 'delete', 'second', '--yes']);
    assert.match(
      (await run(['user', 'invite', 'ada@example.org'])).out,
      /http:\S+accept-invite\?token=\S+\n$/,
    );
  });

  it('prints sizes and queries once where there is no terminal, and metrics by name', async () => {
    assert.match((await run(['top'])).out, /^films\tReady\t\d+\t[\d.]+ KiB\t/m);
    const samples = await json<readonly { readonly labels: object }[]>(['metrics', 'record_total']);
    assert.ok(samples.some(({ labels }) => (labels as { index_name?: string }).index_name === 'films'));
  });

  it('completes commands, options, values and the names of indexes', async () => {
    const complete = async (...words: readonly string[]) => (await run(['__complete', ...words])).out;
    assert.match(await complete('ind'), /^index\t/);
    assert.match(await complete('index', 'd'), /^describe\t.*\ndelete\t/);
    assert.equal(await complete('index', 'describe', 'f'), 'films\t\n');
    assert.equal(await complete('export', 'films', '--format', 'j'), 'jsonl\t\n');
    assert.match(await complete('record', 'query', 'films', '--te'), /^--text\t/);
    assert.equal(await complete('record', 'upsert', 'films', ''), ':files\n');
  });

  it('uses the current profile, lets the environment win over it, and --profile over both', async () => {
    const alone = { XDG_CONFIG_HOME: `${folder}/config` };
    const added = await runCli(['profile', 'add', 'here', '--url', service.url], alone, `${API_KEY}\n`);
    assert.equal(added.code, 0, added.err);
    const path = `${folder}/config/pinyon/profiles.json`;
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal((await runCli(['index', 'describe', 'films'], alone)).code, 0);
    const away = { ...alone, PINYON_URL: 'http://127.0.0.1:9' };
    const unreachable = await runCli(['index', 'list'], away);
    // Nor does the key of the profile go to another address.
    assert.deepEqual([unreachable.code, /^No API key/.test(unreachable.err)], [2, true], unreachable.err);
    assert.equal((await runCli(['index', 'list', '--profile', 'here'], away)).code, 0);
    const listed = await runCli(['profile', 'list'], alone);
    assert.equal(listed.out, `*\there\t${service.url}\tAPI key\n`);
    assert.ok(!listed.out.includes(API_KEY) && readFileSync(path, 'utf8').includes(API_KEY));
    const misspelled = await runCli(['index', 'list', '--profile', 'heer'], alone);
    assert.deepEqual([misspelled.code, misspelled.err], [1, 'There is no profile heer. Is here meant?\n']);
    assert.equal((await runCli(['profile', 'remove', 'here'], alone)).code, 0);
    assert.equal((await runCli(['index', 'list'], alone)).code, 2);
  });
});
