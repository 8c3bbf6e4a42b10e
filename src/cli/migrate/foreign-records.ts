// Makes the records of another database into those of the target: vectors with metadata, texts, or documents.
import type { JsonObject } from '../../domain/json.ts';
import { DOCUMENT_ID } from '../../domain/records/read-document.ts';
import type { IndexKind } from '../client/index-kind.ts';
import { CliProblem, EXIT_MISUSED } from '../command.ts';
import { documentKind, documentRecord } from './document-kind.ts';
import { flatFields, LOSSES, type Loss, type NestedMode } from './flat-fields.ts';
import type { MigratedRecord, RecordKind } from './record-kind.ts';
import type { ForeignRecord } from './sources/port.ts';
import { textKind } from './text-kind.ts';
import { vectorKind } from './vector-kind.ts';
import { signatureOf, upsertable } from './wire-record.ts';

export interface Mapping {
  readonly target: IndexKind;
  readonly nested: NestedMode;
  /** The field of the source with the text, and that of the target; null for vectors. */
  readonly text: { readonly from: string; readonly to: string } | null;
  /** Whether the target takes sparse vectors beside dense ones. */
  readonly hasSparse: boolean;
  /** Refuse what would change. */
  readonly isStrict: boolean;
}

export const KINDS: Readonly<Record<IndexKind, RecordKind>> = {
  vectors: vectorKind,
  texts: textKind,
  documents: documentKind,
};

const OF_VECTORS: ReadonlySet<Loss> = new Set(['sparse', 'vectors']);

/**
 * The record for the target; null where it cannot be one.
 * @param losses counted up
 * @throws CliProblem for the first change with `isStrict`
 */
export function migrated(
  record: ForeignRecord,
  mapping: Mapping,
  losses: Record<string, number>,
): MigratedRecord | null {
  const lose = (loss: Loss) => {
    if (mapping.isStrict)
      throw new CliProblem(`Record ${record.id} would not stay as it is: ${LOSSES[loss]}.`);
    losses[loss] = (losses[loss] ?? 0) + 1;
  };
  // Texts and documents have vectors of their own.
  const isUnused = (loss: Loss) => mapping.target !== 'vectors' && OF_VECTORS.has(loss);
  for (const loss of record.leftOut ?? []) if (!isUnused(loss)) lose(loss);
  const fields = flatFields(record.fields, mapping.nested, lose);
  if (mapping.target === 'vectors') return vectorOf(record, fields, { mapping, lose });
  const { from, to } = textFields(mapping);
  const { [from]: text, ...rest } = fields;
  if (typeof text !== 'string' || text.trim() === '') {
    lose('textless');
    return null;
  }
  // The id and the text have these names in the target.
  const { [DOCUMENT_ID]: otherId, [to]: otherText, ...others } = rest;
  for (const other of [otherId, otherText]) if (other !== undefined) lose('twice');
  const body = { [DOCUMENT_ID]: record.id, ...others, [to]: text };
  if (mapping.target === 'documents') return documentRecord(body);
  const { id } = record;
  return { id, body, signature: signatureOf({ id, metadata: { ...others, [to]: text } }) };
}

function vectorOf(
  { id, values, sparse }: ForeignRecord,
  metadata: JsonObject,
  { mapping, lose }: { readonly mapping: Mapping; readonly lose: (loss: Loss) => void },
): MigratedRecord | null {
  if (values === null) {
    lose('vectorless');
    return null;
  }
  const isSparse = sparse !== undefined && sparse !== null && sparse.indices.length > 0;
  if (isSparse && !mapping.hasSparse) lose('sparse');
  const body = upsertable({
    id,
    values,
    sparseValues: isSparse && mapping.hasSparse ? sparse : null,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  });
  return { id, body, signature: signatureOf(body) };
}

function textFields({ text }: Mapping): { readonly from: string; readonly to: string } {
  if (text !== null) return text;
  const sentence =
    'The target index takes texts: name the field of the source that has them by --text-field.';
  throw new CliProblem(sentence, EXIT_MISUSED);
}
