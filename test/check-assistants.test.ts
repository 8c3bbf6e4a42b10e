// pinyon check --adopt: assistants and their files come back without a catalog, as far as their bytes are whole.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createAssistantWithFile } from './support/assistant-with-file.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, newService, type Service } from './support/service.ts';
import { until } from './support/until.ts';

const FILES = '/assistant/files/birds';
const GONE = '00000000-0000-4000-8000-000000000000';
const INSTRUCTIONS = 'Answer in one sentence.';

describe('assistants without a catalog', () => {
  let service: Service;
  before(async () => {
    service = await newService();
    await service.start();
    await createAssistantWithFile(service, 'birds', {
      name: 'heron.txt',
      text: 'The heron stands in the reeds at dawn.',
    });
    // One as an earlier release has left it, one damaged, and one of an assistant that is gone.
    await service.stop();
    for (const each of described())
      if (each.endsWith('/assistant')) rmSync(join(descriptions(), each));
      else truncateSync(join(descriptions(), each), 20);
    const gone = join(descriptions(), GONE);
    mkdirSync(gone, { recursive: true });
    writeFileSync(join(gone, 'assistant'), '{}');
    await service.start();
    await until(() => described().length === 2 && described().every(isWhole), 'descriptions');
    await service.call('PATCH', '/assistant/assistants/birds', { body: { instructions: INSTRUCTIONS } });
    await upload('owl.txt', 'The owl sleeps in the barn.');
    await upload('gone.txt', 'The cuckoo has left.');
    const left = (await files()).find(({ name }) => name === 'gone.txt');
    await service.call('DELETE', `${FILES}/${left?.id}`);
    await until(async () => (await files()).length === 2, 'the end of the deleted file');
  });
  after(() => service.dispose());

  const descriptions = () => join(service.dataDir, 'blobs', 'descriptions');
  const described = () =>
    existsSync(descriptions())
      ? readdirSync(descriptions(), { recursive: true, encoding: 'utf8' }).filter((each) =>
          each.includes('/'),
        )
      : [];

  const isWhole = (name: string) =>
    !name.includes(GONE) && readFileSync(join(descriptions(), name), 'utf8').endsWith('\n');

  async function upload(name: string, text: string): Promise<void> {
    const form = new FormData();
    form.set('file', new File([text], name));
    form.set('metadata', JSON.stringify({ kind: 'note' }));
    const headers = { 'api-key': API_KEY };
    const answer = await fetch(`${service.url}${FILES}`, { method: 'POST', body: form, headers });
    assert.ok(answer.ok, await answer.text());
    await available();
  }

  async function files(): Promise<
    readonly { id: string; name: string; status: string; metadata: unknown }[]
  > {
    const { body, text } = await service.call('GET', FILES);
    assert.ok(typeof body === 'object' && body !== null && 'files' in body, text);
    return (body as { files: { id: string; name: string; status: string; metadata: unknown }[] }).files;
  }
  const available = () =>
    until(async () => {
      const all = await files();
      const failed = all.filter(({ status }) => status === 'ProcessingFailed');
      assert.deepEqual(failed, []);
      return all.every(({ status }) => status === 'Available');
    }, 'files');

  async function context(query: string): Promise<string> {
    return (await service.call('POST', '/assistant/chat/birds/context', { body: { query } })).text;
  }

  function loseCatalog(): void {
    for (const name of readdirSync(service.dataDir))
      if (name.startsWith('catalog.')) rmSync(join(service.dataDir, name));
  }
  const adopt = () => runCli(['check', '--adopt'], { PINYON_DATA_DIR: service.dataDir });

  it('come back with names, instructions, files and metadata, and answer again', async () => {
    const before = (await files()).map(({ id, name, metadata }) => ({ id, name, metadata }));
    await service.stop();
    loseCatalog();
    const { code, out } = await adopt();
    assert.match(out, /adopted: assistant birds \(project default\), 2 files to process anew/);
    assert.equal(code, 0, out);
    await service.start();
    await available();
    assert.deepEqual(
      (await files()).map(({ id, name, metadata }) => ({ id, name, metadata })),
      before,
    );
    const { text } = await service.call('GET', '/assistant/assistants/birds');
    assert.match(text, new RegExp(INSTRUCTIONS));
    assert.match(await context('Where does the heron stand?'), /in the reeds at dawn/);
    assert.doesNotMatch(await context('Where is the cuckoo?'), /cuckoo/);
  });

  it('come back without their indexes, and without files whose bytes are damaged, which it names', async () => {
    await service.stop();
    loseCatalog();
    for (const id of readdirSync(join(service.dataDir, 'indexes')))
      rmSync(join(service.dataDir, 'indexes', id), { recursive: true });
    const folder = join(service.dataDir, 'blobs', 'assistants');
    const stored = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((each) =>
      join(folder, each),
    );
    const owl = stored.find((path) => statSync(path).size === 'The owl sleeps in the barn.'.length);
    truncateSync(owl ?? '', 3);
    const [assistant = ''] = readdirSync(descriptions());
    writeFileSync(join(descriptions(), assistant, 'lost'), '{"format":1,"con');
    const { code, out } = await adopt();
    assert.match(out, /NOT adopted: upload lost of assistant birds: its description is damaged/);
    assert.match(out, /adopted: assistant birds \(project default\), 1 file to process anew/);
    assert.match(
      out,
      /NOT adopted: file owl\.txt of assistant birds: its bytes are not those that were uploaded/,
    );
    assert.equal(code, 1);
    await service.start();
    await available();
    assert.deepEqual(
      (await files()).map(({ name }) => name),
      ['heron.txt'],
    );
    assert.match(await context('Where does the heron stand?'), /in the reeds at dawn/);
    await service.stop();
    assert.doesNotMatch((await adopt()).out, /adopted: assistant/);
  });

  it('come back from a storage elsewhere when the whole data directory is lost', async () => {
    const elsewhere = join(dirname(service.dataDir), 'elsewhere');
    const env = { PINYON_BLOBS: elsewhere };
    renameSync(join(service.dataDir, 'blobs'), elsewhere);
    const folders = readdirSync(join(elsewhere, 'assistants'));
    rmSync(service.dataDir, { recursive: true });
    const refused = service.run({ env });
    await assert.rejects(refused.ready(), /has backups or files of assistants.*check --adopt/);
    assert.deepEqual(readdirSync(join(elsewhere, 'assistants')), folders);
    rmSync(service.dataDir, { recursive: true, force: true });
    const lost = { PINYON_DATA_DIR: service.dataDir, ...env };
    assert.match((await runCli(['check'], lost)).err, /there is no data directory at/);
    const { out } = await runCli(['check', '--adopt'], lost);
    assert.equal(statSync(service.dataDir).mode & 0o777, 0o700);
    assert.match(out, /adopted: assistant birds \(project default\), 1 file to process anew/);
    await service.start({ env });
    await available();
    assert.match(await context('Where does the heron stand?'), /in the reeds at dawn/);
  });
});
