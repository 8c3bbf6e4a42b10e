// Uploads of office files by SDK 9 (version 2026-07): they are read, found and cited with their slides.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Assistant, Pinecone } from '@pinecone-database/pinecone';
import { makePptx, shape } from '../src/documents/testing/make-office.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

describe('SDK 9, office files of assistants', () => {
  let service: Service;
  let assistant: Assistant;
  before(async () => {
    service = await startService();
    const pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    await pinecone.createAssistant({ name: 'helper' });
    await until(async () => (await pinecone.describeAssistant('helper')).status === 'Ready');
    assistant = pinecone.assistant({ name: 'helper' });
  });
  after(() => service.dispose());

  async function upload(file: Buffer, fileName: string) {
    const { id } = await assistant.uploadFile({ file, fileName });
    await until(async () => (await assistant.describeOperation(id)).status !== 'Processing');
    return assistant.describeOperation(id);
  }

  it('finds the passage of a slide, and names the slide', async () => {
    const slides = [
      { shapes: shape('Harbor plan', 'title') + shape('The council meets in May.') },
      { shapes: shape('Ferries', 'title') + shape('The ferry to Sand Island costs 12 crowns.') },
    ];
    assert.equal((await upload(makePptx(slides), 'plan.pptx')).status, 'Completed');
    const content = 'What does the ferry to Sand Island cost?';
    const { snippets } = await assistant.context({ query: content });
    const [best] = JSON.parse(JSON.stringify(snippets));
    assert.match(best.content, /12 crowns/);
    assert.deepEqual([best.reference.type, best.reference.file.name], ['doc_x', 'plan.pptx']);
    const { message, citations = [] } = await assistant.chat({ messages: [{ role: 'user', content }] });
    assert.match(message?.content ?? '', /12 crowns/);
    const [reference] = citations[0]?.references ?? [];
    assert.deepEqual([reference?.file?.name, reference?.pages], ['plan.pptx', [2]]);
  });

  it('tells why an office file cannot be read', async () => {
    const { status, errorMessage } = await upload(Buffer.from('PK\u0003\u0004 and no more'), 'rates.xlsx');
    assert.equal(status, 'Failed');
    assert.match(errorMessage ?? '', /damaged/);
  });
});
