// The life of an assistant and its files by SDK 9 (version 2026-07): operations, every type of file, links, deletion.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { type Assistant, Errors, Pinecone } from '@pinecone-database/pinecone';
import { docxOf, pdfClaiming, pdfOf } from './support/documents.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

describe('SDK 9, assistants', () => {
  let service: Service;
  let pinecone: Pinecone;
  let assistant: Assistant;
  let folder: string;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    folder = await mkdtemp(join(tmpdir(), 'pinyon-uploads-'));
    const made = await pinecone.createAssistant({
      name: 'helper',
      instructions: 'Be brief.',
      metadata: { a: '1' },
    });
    assert.deepEqual([made.name, made.status, made.host], ['helper', 'Initializing', service.url]);
    await until(async () => (await pinecone.describeAssistant('helper')).status === 'Ready');
    assistant = pinecone.assistant({ name: 'helper' });
  });
  after(async () => {
    await service.dispose();
    await rm(folder, { recursive: true });
  });

  async function ended(id: string) {
    await until(async () => (await assistant.describeOperation(id)).status !== 'Processing');
    return assistant.describeOperation(id);
  }

  it('is listed, described and changed', async () => {
    const { assistants = [] } = await pinecone.listAssistants();
    assert.deepEqual(
      assistants.map(({ name }) => name),
      ['helper'],
    );
    const changed = await pinecone.updateAssistant({ name: 'helper', instructions: 'Be exact.' });
    assert.equal(changed.assistantName, 'helper');
    const { instructions, metadata, region } = await pinecone.describeAssistant('helper');
    assert.deepEqual([instructions, metadata, region], ['Be exact.', { a: '1' }, 'us']);
    await assert.rejects(pinecone.createAssistant({ name: 'helper' }), Errors.PineconeConflictError);
    const other = await pinecone.createAssistant({ name: 'Helper_2-B' });
    await assert.rejects(pinecone.describeAssistant('helper_2-b'), Errors.PineconeNotFoundError);
    await pinecone.deleteAssistant(other.name);
    await until(async () => {
      const { assistants: left = [] } = await pinecone.listAssistants();
      return left.length === 1;
    });
    await assert.rejects(pinecone.createAssistant({ name: 'no name' }), /Invalid assistant name/);
  });

  it('takes files of every type by path, buffer, blob and stream, and serves each byte of them', async () => {
    const pdf = await pdfOf('The lighthouse was painted red in 1962.', 'The canal has 14 locks.');
    const path = join(folder, 'handbook.pdf');
    await writeFile(path, pdf);
    const markdown = '# Animals\n\nThe mole digs tunnels.';
    const accepted = [
      await assistant.uploadFile({ path, metadata: { kind: 'pdf', year: 1962 } }),
      await assistant.uploadFile({
        file: await docxOf('The ferry costs 12 crowns.'),
        fileName: 'prices ü.docx',
        metadata: { kind: 'docx', tag: 'b' },
      }),
      await assistant.uploadFile({
        file: Readable.from([markdown.slice(0, 9), markdown.slice(9)].map((text) => Buffer.from(text))),
        fileName: 'animals.md',
        metadata: { kind: 'md' },
      }),
      await assistant.uploadFile({ file: Buffer.from('Storks fly south.'), fileName: 'birds.txt' }),
      await assistant.uploadFile({ file: new Blob(['{"heron": "eats fish"}']), fileName: 'birds.json' }),
      await assistant.uploadFile({ file: Buffer.from('<p>Owls hunt at night.</p>'), fileName: 'owls.html' }),
    ];
    for (const { id, operationType, fileId } of accepted) {
      const { status, percentComplete, completedOn, ingestionUnits } = await ended(id);
      assert.deepEqual(
        [operationType, status, percentComplete, ingestionUnits],
        ['upload_file', 'Completed', 100, 1],
      );
      assert.ok(completedOn instanceof Date);
      const { status: state, signedUrl, size } = await assistant.describeFile(fileId ?? '');
      assert.equal(state, 'Available');
      const bytes = await (await fetch(signedUrl ?? '')).arrayBuffer();
      assert.equal(bytes.byteLength, size);
    }
    const { files = [] } = await assistant.listFiles();
    assert.deepEqual(
      files.map(({ name }) => name),
      ['owls.html', 'birds.json', 'birds.txt', 'animals.md', 'prices ü.docx', 'handbook.pdf'],
    );
    const filter = { $or: [{ year: { $lt: 2000 } }, { tag: { $in: ['b'] } }] };
    const chosen = (await assistant.listFiles({ filter })).files ?? [];
    assert.deepEqual(
      chosen.map(({ name }) => name),
      ['prices ü.docx', 'handbook.pdf'],
    );
    const [first] = accepted;
    const { signedUrl } = await assistant.describeFile(first?.fileId ?? '');
    assert.deepEqual(Buffer.from(await (await fetch(signedUrl ?? '')).arrayBuffer()), pdf);
    assert.equal((await assistant.describeFile(first?.fileId ?? '', false)).signedUrl, undefined);
  });

  it('replaces a file under the id of its owner', async () => {
    const put = (text: string) =>
      assistant.upsertFile({ assistantFileId: 'notes_1', file: Buffer.from(text), fileName: 'notes.txt' });
    const first = await put('one');
    assert.deepEqual([first.operationType, first.fileId], ['upsert_file', 'notes_1']);
    await ended(first.id);
    await ended((await put('two, and longer')).id);
    const { size, status, name } = await assistant.describeFile('notes_1');
    assert.deepEqual([size, status, name], [15, 'Available', 'notes.txt']);
    const operations = await assistant.listOperations({ operationType: 'upsert_file', status: 'Completed' });
    assert.equal(operations.operations?.length, 2);
  });

  it('reports why a file cannot be read, and refuses unsupported types', async () => {
    const { id, fileId } = await assistant.uploadFile({
      file: Buffer.from('%PDF-1.7 broken'),
      fileName: 'a.pdf',
    });
    const { status, errorMessage } = await ended(id);
    assert.equal(status, 'Failed');
    assert.match(errorMessage ?? '', /\w+/);
    assert.equal((await assistant.describeFile(fileId ?? '')).status, 'ProcessingFailed');
    await assistant.deleteFile(fileId ?? '');
    const exe = { file: Buffer.from('MZ'), fileName: 'a.exe' };
    await assert.rejects(assistant.uploadFile(exe), /not supported.*\.pdf/);
    const text = { file: Buffer.from('x'), fileName: 'a.txt', multimodal: true };
    await assert.rejects(assistant.uploadFile(text), /multimodal/);
  });

  it('fails malicious files with a reason or reads them as text, without harm to others', async () => {
    const levels = 100_000;
    const hostile: readonly (readonly [name: string, content: Buffer, reason: RegExp])[] = [
      ['deep.json', Buffer.from('['.repeat(levels) + ']'.repeat(levels)), /nested/],
      ['endless.html', Buffer.from('<div>'.repeat(levels)), /nested/],
      ['claim.pdf', await pdfClaiming(10_000_000), /no text/],
      ['packed.docx', Buffer.from('PK\u0003\u0004 and no more'), /damaged/],
      ['named.pdf', Buffer.from('MZ'), /damaged/],
    ];
    const refused = hostile.map(async ([fileName, file, reason]) => {
      const { id } = await assistant.uploadFile({ file, fileName });
      const { status, errorMessage } = await ended(id);
      assert.equal(status, 'Failed', fileName);
      assert.match(errorMessage ?? '', reason);
    });
    await Promise.all(refused);
    const page = '<script>steal("otters")</script><p onclick="steal()">Otters swim in the weir.</p>';
    const metadata = { kind: 'page' };
    const { id } = await assistant.uploadFile({ file: Buffer.from(page), fileName: 'page.html', metadata });
    assert.equal((await ended(id)).status, 'Completed');
    const { snippets } = await assistant.context({ query: 'otters', filter: metadata });
    assert.deepEqual(
      snippets?.map(({ content }) => content),
      ['Otters swim in the weir.'],
    );
  });

  it('deletes a file, and then itself with the rest', async () => {
    const { id, operationType } = await assistant.deleteFile('notes_1');
    assert.equal(operationType, 'delete_file');
    assert.equal((await ended(id)).status, 'Completed');
    await assert.rejects(assistant.describeFile('notes_1'), Errors.PineconeNotFoundError);
    await pinecone.deleteAssistant('helper');
    await until(() =>
      pinecone.describeAssistant('helper').then(
        ({ status }) => {
          assert.equal(status, 'Terminating');
          return false;
        },
        (error) => error instanceof Errors.PineconeNotFoundError,
      ),
    );
  });
});
