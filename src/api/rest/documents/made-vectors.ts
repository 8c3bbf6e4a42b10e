// The vectors that the main thread makes of the texts of documents, on their way to the engine thread.

import type { SparseVector } from '../../../app/records/record-access.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { type EmbeddedFields, embeddedFields, sets } from '../../../domain/embedding/embedded-fields.ts';
import type { NumberList } from '../../../domain/embedding/engine-body.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { VectorPair } from '../../../domain/records/vector-record.ts';
import { VectorLists } from './vector-lists.ts';

const NO_VECTORS: VectorPair = { values: null, sparse: null };

/** The lists of one document: its values, then indices and values; only for texts that the document sets. */
export interface DocumentLists {
  readonly dense: NumberList | null;
  readonly sparse: readonly [indices: NumberList, values: NumberList] | null;
}

/** Puts the lists of all documents in the order in which `MadeVectors` takes them. */
export function flatLists(tokens: number, documents: readonly DocumentLists[]): readonly NumberList[] {
  const lists = documents.flatMap(({ dense, sparse }) => [
    ...(dense === null ? [] : [dense]),
    ...(sparse ?? []),
  ]);
  return [Uint32Array.of(tokens), ...lists];
}

/** Hands out the vectors of each document in its turn. */
export class MadeVectors {
  /** Tokens that the models counted; null when no text was embedded. */
  readonly tokens: number | null;
  readonly #fields: EmbeddedFields;
  readonly #lists: VectorLists;

  constructor(lists: readonly Uint32Array<ArrayBuffer>[], schema: DocumentSchema) {
    this.#fields = embeddedFields(schema);
    this.#lists = new VectorLists(lists);
    this.tokens = this.#lists.tokens;
  }

  take(document: JsonObject): VectorPair {
    if (this.tokens === null) return NO_VECTORS;
    const { dense, sparse } = this.#fields;
    return {
      values: sets(document, dense) ? this.#lists.takeDense() : null,
      sparse: sets(document, sparse) ? withEntries(this.#lists.takeSparse()) : null,
    };
  }
}

/** Null for the vector of a text without words. */
function withEntries(vector: SparseVector): SparseVector | null {
  return vector.indices.length === 0 ? null : vector;
}
