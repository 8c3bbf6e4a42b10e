// What all document endpoints have in common.
import { type DocumentSchema, hasEmbeddings } from '../../../domain/document-schema.ts';
import { type FaultName, invalid } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { DOCUMENTS_EMBEDDED_MAX, DOCUMENTS_MAX } from '../../../domain/limits.ts';
import { DOCUMENT_ID, documentObject } from '../../../domain/records/read-document.ts';
import { checkDocumentId, DEFAULT_NAMESPACE_SHOWN } from '../../../domain/records/record-id.ts';
import type { EndpointDetails } from '../../endpoint.ts';
import type { NamespaceGiven, RequestNamespaces } from '../../request-namespaces.ts';
import { NamespaceSegment } from './schemas.ts';

/** Address and rules of the document call with this name. */
export function documentCall(name: string) {
  return {
    method: 'POST',
    path: `/namespaces/{namespace}/documents/${name}`,
    tag: 'Documents',
    since: '2026-07',
    indexKind: 'documents',
    errors: 'standard',
    params: NamespaceSegment,
  } as const satisfies Partial<EndpointDetails>;
}

/** The faults of calls that write whole documents or parts of them. */
export const DOCUMENT_WRITE_FAULTS = [
  'invalid-argument',
  'body-not-json',
  'documents-too-big',
  'document-too-big',
  'document-metadata-too-big',
  'document-field-missing',
  'document-not-searchable',
  'dimension-mismatch',
  'zero-vector',
  'empty-sparse-vector',
  'embedding-changed',
  'model-unavailable',
  'wrong-index-kind',
  'storage-full',
] as const satisfies readonly FaultName[];

/** The namespace that a path names. An empty segment is no name for the default one. @throws invalid-argument */
export function documentNamespace(
  namespaces: Pick<RequestNamespaces, 'read'>,
  { namespace }: Readonly<Record<string, string>>,
): NamespaceGiven {
  if (namespace === '') {
    throw invalid(`The path names no namespace; the name of the default one is ${DEFAULT_NAMESPACE_SHOWN}`);
  }
  return namespaces.read(namespace);
}

/** The schema of an index that document calls have been found to serve. */
export function schemaOf({ documents, name }: Pick<IndexProfile, 'documents' | 'name'>): DocumentSchema {
  if (documents === null) throw new Error(`index ${name} has no document schema`);
  return documents;
}

/** Checks a list of documents to write: its length, and that each has an id of its own. @throws invalid-argument */
export function documentList(json: unknown, schema: DocumentSchema): readonly JsonObject[] {
  const max = hasEmbeddings(schema) ? DOCUMENTS_EMBEDDED_MAX : DOCUMENTS_MAX;
  if (!Array.isArray(json)) throw invalid('documents must be a list of documents');
  if (json.length < 1 || json.length > max) {
    throw invalid(`documents must hold 1 to ${max} documents, got ${json.length}`);
  }
  const documents = json.map(documentObject);
  const seen = new Set<string>();
  for (const document of documents) {
    const id = checkDocumentId(document[DOCUMENT_ID]);
    if (seen.has(id))
      throw invalid(`documents hold the ${DOCUMENT_ID} ${JSON.stringify(id).slice(0, 100)} twice`);
    seen.add(id);
  }
  return documents;
}
