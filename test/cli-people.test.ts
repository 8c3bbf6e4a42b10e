// Ring 3: the commands for assistants, administration, profiles, completion and watching.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { OWNER } from './support/admin.ts';
import { type Commands, commandsWith } from './support/commands.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { upsert } from './support/wire-records.ts';

describe('commands', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-commands-`);
  let service: Service;
  let environment: Readonly<Record<string, string>>;
  let run: Commands['run'];
  let json: Commands['json'];
  before(async () => {
    service = await startService({
      env: { PINYON_ADMIN_CLIENT_ID: OWNER.clientId, PINYON_ADMIN_CLIENT_SECRET: OWNER.clientSecret },
    });
    const films = await service.createIndex({ name: 'films', dimension: 2, metric: 'cosine' });
    await upsert(films, '', [{ id: 'a', values: [1, 2] }]);
    environment = {
      PINYON_URL: service.url,
      PINYON_API_KEY: API_KEY,
      PINYON_CLIENT_ID: OWNER.clientId,
      PINYON_CLIENT_SECRET: OWNER.clientSecret,
      XDG_CONFIG_HOME: folder,
    };
    ({ run, json } = commandsWith(environment));
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
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
