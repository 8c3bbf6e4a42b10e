// The life of an assistant and its files by SDK 5 (version 2025-01): uploads answer with the file, and no list has pages.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from 'pinecone-sdk-5';
import { pdfOf } from './support/documents.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

describe('SDK 5, assistants', () => {
  let service: Service;
  let pinecone: Pinecone;
  let folder: string;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    folder = await mkdtemp(join(tmpdir(), 'pinyon-uploads-'));
  });
  after(async () => {
    await service.dispose();
    await rm(folder, { recursive: true });
  });

  it('creates, changes and lists assistants', async () => {
    const made = await pinecone.createAssistant({ name: 'older', metadata: { a: '1' }, region: 'eu' });
    assert.deepEqual([made.name, made.status, made.host], ['older', 'Initializing', service.url]);
    await until(async () => (await pinecone.describeAssistant('older')).status === 'Ready');
    const changed = await pinecone.updateAssistant('older', { instructions: 'Be brief.' });
    assert.equal(changed.assistantName, 'older');
    assert.deepEqual([changed.instructions, changed.metadata], ['Be brief.', { a: '1' }]);
    const { assistants = [] } = await pinecone.listAssistants();
    assert.deepEqual(
      assistants.map(({ name }) => name),
      ['older'],
    );
  });

  it('uploads files, which are returned as files, and finds them by their metadata', async () => {
    const assistant = pinecone.Assistant('older');
    const pdf = await pdfOf('The lighthouse was painted red in 1962.');
    const texts: readonly (readonly [string, string | Buffer, Record<string, string> | undefined])[] = [
      ['handbook.pdf', pdf, { kind: 'pdf', source: 'a & b = "ü"' }],
      ['notes.txt', 'Storks fly south.', { kind: 'text' }],
      ['more.md', '# More', undefined],
    ];
    for (const [name, content, metadata] of texts) {
      const path = join(folder, name);
      await writeFile(path, content);
      const file = await assistant.uploadFile({ path, ...(metadata && { metadata }) });
      assert.deepEqual([file.name, file.status, file.metadata ?? undefined], [name, 'Processing', metadata]);
      await until(async () => (await assistant.describeFile(file.id)).status === 'Available');
      const { percentDone, signedUrl, errorMessage } = await assistant.describeFile(file.id);
      assert.deepEqual([percentDone, errorMessage], [1, undefined]);
      assert.deepEqual(Buffer.from(await (await fetch(signedUrl ?? '')).arrayBuffer()), Buffer.from(content));
    }
    const namesOf = async (filter?: object) =>
      (await assistant.listFiles({ ...(filter && { filter }) })).files?.map(({ name }) => name);
    assert.deepEqual(await namesOf(), ['more.md', 'notes.txt', 'handbook.pdf']);
    assert.deepEqual(await namesOf({ kind: 'text' }), ['notes.txt']);
    assert.deepEqual(await namesOf({ kind: { $in: ['pdf', 'other'] } }), ['handbook.pdf']);
  });

  it('deletes files and assistants, with empty answers', async () => {
    const assistant = pinecone.Assistant('older');
    const [first] = (await assistant.listFiles({})).files ?? [];
    await assistant.deleteFile(first?.id ?? '');
    await until(async () => (await assistant.listFiles({})).files?.length === 2);
    await pinecone.deleteAssistant('older');
    await until(async () => (await pinecone.listAssistants()).assistants?.length === 0);
    await assert.rejects(pinecone.describeAssistant('older'), { name: 'PineconeNotFoundError' });
  });
});
