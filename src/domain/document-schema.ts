// The schema of a document index: its fields by name, fixed when the index is created. Other fields are metadata.
import type { IndexEmbedding } from './embedding/index-embedding.ts';
import type { TextAnalysis } from './full-text/text-analysis.ts';
import type { Metric } from './metric.ts';

/** The embedding of a string field; the texts of that field go through one model. */
export type FieldEmbedding = Omit<IndexEmbedding, 'textField'>;

interface Described {
  readonly description: string | null;
}

export interface DenseField extends Described {
  readonly kind: 'dense';
  readonly dimension: number;
  readonly metric: Metric;
}

export interface SparseField extends Described {
  readonly kind: 'sparse';
}

/** What no analysis can change: lower case is always on, and terms are cut to TERM_CHARS_MAX characters. */
export interface DeclaredAnalysis {
  readonly lowercase?: boolean;
  /** Characters. */
  readonly termLengthMax?: number;
}

export interface StringField extends Described {
  readonly kind: 'string';
  /** False: the text is only embedded, neither kept nor searchable. */
  readonly storeText: boolean;
  /** Null exactly when the text is not stored. */
  readonly fullText: TextAnalysis | null;
  /** Declared by early clients only, for responses to show again; analysis is as if it were absent. */
  readonly declaredAnalysis?: DeclaredAnalysis;
  /** Takes the dense slot. */
  readonly embed: FieldEmbedding | null;
  /** Takes the sparse slot. */
  readonly sparseEmbed: FieldEmbedding | null;
}

/** Declared by early clients only; a plain metadata field that responses show again. */
export interface MetadataField {
  readonly kind: 'metadata';
  readonly type: 'string' | 'float' | 'integer' | 'boolean' | 'string_list';
  readonly filterable: boolean;
}

export type DocumentField = DenseField | SparseField | StringField | MetadataField;

/** At most one field takes the dense slot, and one the sparse slot. */
export interface DocumentSchema {
  readonly fields: Readonly<Record<string, DocumentField>>;
}

/** The name of the field that takes the dense slot, or null. */
export function denseFieldOf({ fields }: DocumentSchema): string | null {
  return nameOf(
    fields,
    (field) => field.kind === 'dense' || (field.kind === 'string' && field.embed !== null),
  );
}

/** The name of the field that takes the sparse slot, or null. */
export function sparseFieldOf({ fields }: DocumentSchema): string | null {
  return nameOf(
    fields,
    (field) => field.kind === 'sparse' || (field.kind === 'string' && field.sparseEmbed !== null),
  );
}

/** Made once, since each document that is read is asked for them. */
const textFields = new WeakMap<DocumentSchema, ReadonlyMap<string, TextAnalysis>>();

/** The analysis of every full-text field, by name. */
export function textFieldsOf(schema: DocumentSchema): ReadonlyMap<string, TextAnalysis> {
  const known = textFields.get(schema);
  if (known !== undefined) return known;
  const found = Object.entries(schema.fields).flatMap(([name, field]) =>
    field.kind === 'string' && field.fullText !== null ? ([[name, field.fullText]] as const) : [],
  );
  const made = new Map(found);
  textFields.set(schema, made);
  return made;
}

/** True when the texts of a field become vectors. */
export function hasEmbeddings({ fields }: DocumentSchema): boolean {
  return Object.values(fields).some(
    (field) => field.kind === 'string' && (field.embed !== null || field.sparseEmbed !== null),
  );
}

function nameOf(fields: DocumentSchema['fields'], accepts: (field: DocumentField) => boolean): string | null {
  return Object.entries(fields).find(([, field]) => accepts(field))?.[0] ?? null;
}
