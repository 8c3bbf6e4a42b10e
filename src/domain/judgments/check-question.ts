// Whether a question of a judgment set can be asked of its index: what a search would refuse is not stored.
import { Fault, invalid } from '../faults.ts';
import { parseOptionalDocumentFilter } from '../filter/document-filter.ts';
import { parseOptionalFilter } from '../filter/parse-filter.ts';
import type { Index } from '../index-model.ts';
import { readQuerySparse, readQueryValues } from '../records/document-query-vectors.ts';
import { readQueryVectors, vectorParts } from '../records/vector-record.ts';
import type { Question } from './judgment-set.ts';

/** What of an index decides which questions it can be asked. */
export type AskedIndex = Pick<Index, 'embed' | 'documents' | 'vectorType' | 'metric' | 'dimension'>;

/**
 * Reads the vectors and the filter as a search does.
 * @param what the question, for messages
 * @throws invalid-argument
 */
export function checkQuestion(index: AskedIndex, question: Question, what: string): void {
  const { text, id } = question;
  const { embed, documents } = index;
  if (documents !== null && id !== undefined)
    throw invalid(`${what} is by id; documents are searched by text or by vectors.`);
  if (documents === null && embed === null && text !== undefined)
    throw invalid(`${what} is by text, which needs an index with integrated embedding or of documents.`);
  try {
    if (documents === null) checkOfVectors(index, question);
    else checkOfDocuments({ ...index, documents }, question);
  } catch (error) {
    throw error instanceof Fault ? invalid(`${what}: ${error.message}`) : error;
  }
}

function checkOfVectors(index: AskedIndex, { vector, sparseVector, filter }: Question): void {
  readQueryVectors(vectorParts(vector, sparseVector), index);
  parseOptionalFilter(filter);
}

function checkOfDocuments(
  { documents, ...shape }: AskedIndex & { readonly documents: NonNullable<Index['documents']> },
  { vector, sparseVector, filter }: Question,
): void {
  const kinds = new Set(Object.values(documents.fields).map(({ kind }) => kind));
  if (vector !== undefined) {
    if (!kinds.has('dense')) throw invalid('the index has no dense_vector field');
    readQueryValues(vector, shape, 'vector');
  }
  if (sparseVector !== undefined) {
    if (!kinds.has('sparse')) throw invalid('the index has no sparse_vector field');
    readQuerySparse(sparseVector, 'sparse_vector is needed');
  }
  parseOptionalDocumentFilter(filter, documents);
}
