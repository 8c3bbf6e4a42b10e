// The embeddings of an index whose vectors come from texts: its own, or those of the fields of its documents.
import type { DocumentSchema, FieldEmbedding } from '../document-schema.ts';
import type { IndexChange } from '../index-lifecycle.ts';
import type { Index } from '../index-model.ts';
import { embeddedFields } from './embedded-fields.ts';
import type { IndexEmbedding } from './index-embedding.ts';

/** `index`: that of an integrated index. The others belong to a field of documents, for its dense or sparse vector. */
export type SlotKind = 'index' | 'embed' | 'sparseEmbed';

export interface EmbeddingSlot {
  readonly kind: SlotKind;
  readonly embed: IndexEmbedding;
  /** Null where the vectors are sparse. */
  readonly dimension: number | null;
  /** False where the texts are not kept, so that they cannot be embedded again. */
  readonly isStored: boolean;
}

export function embeddingSlots({
  embed,
  documents,
  dimension,
}: Pick<Index, 'embed' | 'documents' | 'dimension'>): readonly EmbeddingSlot[] {
  if (documents === null) return embed === null ? [] : [{ kind: 'index', embed, dimension, isStored: true }];
  const { dense, sparse } = embeddedFields(documents);
  const slots = [
    { kind: 'embed' as const, field: dense, embedding: dense?.field.embed ?? null, dimension },
    {
      kind: 'sparseEmbed' as const,
      field: sparse,
      embedding: sparse?.field.sparseEmbed ?? null,
      dimension: null,
    },
  ];
  return slots.flatMap(({ field, embedding, ...slot }) =>
    field === null || embedding === null
      ? []
      : [{ ...slot, embed: { ...embedding, textField: field.name }, isStored: field.field.storeText }],
  );
}

/** The change of an index that changes one of its embeddings; the text field stays. */
export function changeOfSlot(
  kind: SlotKind,
  change: (before: FieldEmbedding) => FieldEmbedding,
): Pick<IndexChange, 'embed' | 'documents'> {
  if (kind === 'index')
    return {
      embed: ({ embed }) => (embed === null ? null : { ...change(embed), textField: embed.textField }),
    };
  return { documents: ({ documents }) => (documents === null ? null : changed(documents, kind, change)) };
}

function changed(
  schema: DocumentSchema,
  kind: 'embed' | 'sparseEmbed',
  change: (before: FieldEmbedding) => FieldEmbedding,
): DocumentSchema {
  const fields = Object.entries(schema.fields).map(([name, field]) => {
    const before = field.kind === 'string' ? field[kind] : null;
    return [name, before === null ? field : { ...field, [kind]: change(before) }] as const;
  });
  return { ...schema, fields: Object.fromEntries(fields) };
}
