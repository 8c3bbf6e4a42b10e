// The vectors that the main thread makes of the texts of documents, on their way to the engine thread.

import type { SparseVector } from '../../../app/records/record-access.ts';
import {
  type DocumentSchema,
  denseFieldOf,
  type StringField,
  sparseFieldOf,
} from '../../../domain/document-schema.ts';
import type { NumberList } from '../../../domain/embedding/engine-body.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { VectorPair } from '../../../domain/records/vector-record.ts';
import { VectorLists } from './vector-lists.ts';

/** The string field that takes a slot, and its name. */
export interface EmbeddedField {
  readonly name: string;
  readonly field: StringField;
}

/** The fields whose texts become the vectors of a document; null where the slot is empty or the caller gives vectors. */
export interface EmbeddedFields {
  readonly dense: EmbeddedField | null;
  readonly sparse: EmbeddedField | null;
}

const NO_VECTORS: VectorPair = { values: null, sparse: null };

export function embeddedFields(schema: DocumentSchema): EmbeddedFields {
  return {
    dense: stringField(schema, denseFieldOf(schema)),
    sparse: stringField(schema, sparseFieldOf(schema)),
  };
}

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

/** True when a document sets the text of a field. */
export function sets(document: JsonObject, embedded: EmbeddedField | null): embedded is EmbeddedField {
  return embedded !== null && Object.hasOwn(document, embedded.name);
}

function stringField({ fields }: DocumentSchema, name: string | null): EmbeddedField | null {
  const field = name === null ? undefined : fields[name];
  return name !== null && field?.kind === 'string' ? { name, field } : null;
}
