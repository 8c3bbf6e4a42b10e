// The fields of a document schema whose texts become vectors.
import { type DocumentSchema, denseFieldOf, type StringField, sparseFieldOf } from '../document-schema.ts';
import type { JsonObject } from '../json.ts';

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

export function embeddedFields(schema: DocumentSchema): EmbeddedFields {
  return {
    dense: stringField(schema, denseFieldOf(schema)),
    sparse: stringField(schema, sparseFieldOf(schema)),
  };
}

/** True when a document sets the text of a field. */
export function sets(document: JsonObject, embedded: EmbeddedField | null): embedded is EmbeddedField {
  return embedded !== null && Object.hasOwn(document, embedded.name);
}

function stringField({ fields }: DocumentSchema, name: string | null): EmbeddedField | null {
  const field = name === null ? undefined : fields[name];
  return name !== null && field?.kind === 'string' ? { name, field } : null;
}
