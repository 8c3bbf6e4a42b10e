// The main thread's part of document writes: texts of embedded fields become vectors before the engine stores them.
import { Buffer } from 'node:buffer';
import { hasEmbeddings } from '../../../domain/document-schema.ts';
import { blankText, isBlank } from '../../../domain/embedding/blank-text.ts';
import { embedFieldTexts } from '../../../domain/embedding/embed-field-texts.ts';
import { type EmbeddedField, embeddedFields, sets } from '../../../domain/embedding/embedded-fields.ts';
import { packEngineBody } from '../../../domain/embedding/engine-body.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { DOCUMENT_ID, readText } from '../../../domain/records/read-document.ts';
import type { DataAnswer } from '../../data-request.ts';
import type { Preprocessor, PreprocessorCall } from '../../endpoint.ts';
import { boundStructures } from '../../json-structures.ts';
import { documentList, documentNamespace, schemaOf } from './documents-endpoint.ts';
import { type DocumentLists, flatLists } from './made-vectors.ts';

/** Objects and lists of a body, mostly documents and their lists of strings. */
const STRUCTURES_MAX = 100_000;

/** The list of documents in a body, unless that has none. @throws what its endpoint refuses about the body as a whole */
export type DocumentsOf = (body: Uint8Array) => unknown;

/** The preprocessor of an endpoint that writes the documents of its bodies. */
export function preprocessDocuments(documentsOf: DocumentsOf): Preprocessor {
  return (call) => preprocessed(call, documentsOf);
}

async function preprocessed(call: PreprocessorCall, documentsOf: DocumentsOf): Promise<DataAnswer> {
  documentNamespace(call.namespaces, call.params);
  const pieces = await Array.fromAsync(call.body);
  const schema = schemaOf(call.index);
  if (!hasEmbeddings(schema)) return call.run(packEngineBody(pieces, []));
  const body = Buffer.concat(pieces);
  boundStructures(body, STRUCTURES_MAX);
  const documents = documentsOf(body);
  // An update by filter sets metadata only.
  if (documents === undefined) return call.run(packEngineBody(pieces, []));
  const list = documentList(documents, schema);
  const { dense, sparse } = embeddedFields(schema);
  const [denseLists, sparseLists] = await Promise.all([
    embedField(call, list, dense, 'embed'),
    embedField(call, list, sparse, 'sparseEmbed'),
  ]);
  const tokens = denseLists.tokens + sparseLists.tokens;
  if (denseLists.byDocument.size + sparseLists.byDocument.size === 0)
    return call.run(packEngineBody(pieces, []));
  const lists = list.map((document): DocumentLists => {
    const values = denseLists.byDocument.get(document);
    const terms = sparseLists.byDocument.get(document);
    return {
      dense: values?.vectorType === 'dense' ? values.values : null,
      sparse: terms?.vectorType === 'sparse' ? [terms.indices, terms.values] : null,
    };
  });
  return call.run(packEngineBody([body], flatLists(tokens, lists)));
}

/** The sparse vector of a blank text. */
const NO_WORDS: Embedding = { vectorType: 'sparse', indices: new Uint32Array(), values: new Float32Array() };

interface EmbeddedTexts {
  readonly byDocument: ReadonlyMap<JsonObject, Embedding>;
  readonly tokens: number;
}

/** Embeds one field of all documents that set it. */
async function embedField(
  call: PreprocessorCall,
  documents: readonly JsonObject[],
  embedded: EmbeddedField | null,
  slot: 'embed' | 'sparseEmbed',
): Promise<EmbeddedTexts> {
  const setting = documents.filter((document) => sets(document, embedded));
  if (embedded === null || setting.length === 0) return { byDocument: new Map(), tokens: 0 };
  const { name } = embedded;
  const byDocument = new Map<JsonObject, Embedding>(setting.map((document) => [document, NO_WORDS]));
  const worded = setting.filter((document) => hasText(document, name, slot));
  if (worded.length === 0) return { byDocument, tokens: 0 };
  const texts = worded.map((document) => readText(name, document[name]));
  const request = { texts, field: embedded, slot, use: 'write_parameters' } as const;
  const { embeddings, totalTokens } = await embedFieldTexts(call, request).catch((error: unknown) => {
    if (!(error instanceof InputTooLong)) throw error;
    const { [error.position]: document = {} } = worded;
    throw error.saidOf(`${saidOf(document)}Field '${fieldText(name)}'`, 'write_parameters');
  });
  for (const [position, document] of worded.entries()) {
    const embedding = embeddings[position];
    if (embedding === undefined) throw new Error('the model returned no embedding for a text');
    byDocument.set(document, embedding);
  }
  return { byDocument, tokens: totalTokens };
}

/** False for a blank text of a sparse vector. @throws invalid-argument for one of a dense vector */
function hasText(document: JsonObject, name: string, slot: 'embed' | 'sparseEmbed'): boolean {
  if (!isBlank(readText(name, document[name]))) return true;
  if (slot === 'embed') throw blankText(name, saidOf(document));
  return false;
}

function saidOf({ [DOCUMENT_ID]: id }: JsonObject): string {
  return `Document ${JSON.stringify(id)}: `;
}
