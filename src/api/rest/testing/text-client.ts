// Integrated indexes for the tests of this folder, over the models of `testInference`: words are split at spaces, each is
// a token and a dimension of its own.
import type { IndexEmbedding } from '../../../domain/embedding/index-embedding.ts';
import { makeTestIndex, type TestIndex, type TestReply, type TestRequest } from './data-client.ts';

const SOURCE = { provider: 'test', revision: '1' };
export const params = { namespace: 'n' };

export function embedding(model: string, details: Partial<IndexEmbedding> = {}): IndexEmbedding {
  return {
    model,
    textField: 'text',
    writeParameters: {},
    readParameters: {},
    source: SOURCE,
    remaking: null,
    ...details,
  };
}

export function denseTexts(details: Partial<IndexEmbedding> = {}): TestIndex {
  return makeTestIndex({ dimension: 384 }, embedding('llama-text-embed-v2', details));
}

export function sparseTexts(details: Partial<IndexEmbedding> = {}): TestIndex {
  const profile = { vectorType: 'sparse', metric: 'dotproduct', dimension: null } as const;
  return makeTestIndex(profile, embedding('pinecone-sparse-english-v0', details));
}

/** Lines of JSON. */
export function lines(...records: readonly object[]): string {
  return records.map((record) => JSON.stringify(record)).join('\n');
}

export function upsert(
  { call }: TestIndex,
  body: TestRequest['body'],
  more: TestRequest = {},
): Promise<TestReply> {
  return call('upsert_records', { params, body, ...more });
}

export function search({ call }: TestIndex, body: object, more: TestRequest = {}): Promise<TestReply> {
  return call('search_records', { params, version: '2026-04', body, ...more });
}

/** Upserts texts by id. @throws Error unless they are stored */
export async function fill(index: TestIndex, texts: Readonly<Record<string, string>>): Promise<void> {
  const records = Object.entries(texts).map(([_id, text]) => ({ _id, text }));
  const { status, text } = await upsert(index, lines(...records));
  if (status !== 201) throw new Error(`${status} ${text}`);
}
