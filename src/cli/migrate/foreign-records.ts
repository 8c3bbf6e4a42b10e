// Makes the records of another database into those of the target: vectors with metadata, texts, or documents.
import { Fault } from '../../domain/faults.ts';
import type { JsonObject } from '../../domain/json.ts';
import { DOCUMENT_ID } from '../../domain/records/read-document.ts';
import { readSparse } from '../../domain/records/sparse-vector.ts';
import { TEXT_RECORD_IDS } from '../../domain/records/text-record.ts';
import type { IndexKind } from '../client/index-kind.ts';
import { CliProblem, EXIT_MISUSED } from '../command.ts';
import { documentKind, documentRecord } from './document-kind.ts';
import { flatFields, type NestedMode } from './flat-fields.ts';
import { LOSSES, type Loss, type Losses } from './losses.ts';
import type { MigratedRecord, RecordKind } from './record-kind.ts';
import type { ForeignRecord } from './sources/port.ts';
import type { TargetRules } from './target-rules.ts';
import { textKind } from './text-kind.ts';
import { vectorKind } from './vector-kind.ts';
import { signatureOf, upsertable, type WireSparse } from './wire-record.ts';

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
/** The names that the id of a record may have, which no field has then. */
const IDS: Readonly<Record<IndexKind, readonly string[]>> = {
  vectors: [],
  texts: TEXT_RECORD_IDS,
  documents: [DOCUMENT_ID],
};

export interface Migrating {
  readonly mapping: Mapping;
  readonly rules: TargetRules;
}

/**
 * The record for the target; null where it cannot be one.
 * @param losses added to
 * @throws CliProblem for the first change with `isStrict`
 */
export function migrated(
  record: ForeignRecord,
  { mapping, rules }: Migrating,
  losses: Losses,
): MigratedRecord | null {
  const lose = (loss: Loss) => {
    if (mapping.isStrict)
      throw new CliProblem(`Record ${record.id} would not stay as it is: ${LOSSES[loss]}.`);
    losses.add(loss);
  };
  // Texts and documents have vectors of their own.
  const isUnused = (loss: Loss) => mapping.target !== 'vectors' && OF_VECTORS.has(loss);
  for (const loss of record.leftOut ?? []) if (!isUnused(loss)) lose(loss);
  const fields = flatFields(record.fields, mapping.nested, lose);
  const made =
    mapping.target === 'vectors'
      ? vectorOf(record, nameable(fields, rules, lose), { mapping, lose })
      : textOf(record, fields, { mapping, rules, lose });
  const reason = made === null ? null : refusalOf(made, rules);
  if (reason === null) return made;
  const { id } = record;
  if (mapping.isStrict) throw new CliProblem(`Record ${id} cannot be stored: ${reason}.`);
  losses.addUnstorable({ id, reason });
  return null;
}

interface Making {
  readonly mapping: Mapping;
  readonly rules: TargetRules;
  readonly lose: (loss: Loss) => void;
}

/** Why the target would refuse the record, which would end the migration; null where it takes it. */
function refusalOf({ body }: MigratedRecord, rules: TargetRules): string | null {
  try {
    rules.check(body);
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** The fields whose names fields may have. */
function nameable(fields: JsonObject, rules: TargetRules, lose: Making['lose']): JsonObject {
  const isName = (name: string) => {
    try {
      rules.checkName(name);
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      lose('names');
      return false;
    }
  };
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isName(name)));
}

function textOf(
  { id }: ForeignRecord,
  { ...fields }: Record<string, unknown>,
  { mapping, rules, lose }: Making,
): MigratedRecord | null {
  const { from, to } = textFields(mapping);
  const text = Object.hasOwn(fields, from) ? fields[from] : undefined;
  delete fields[from];
  if (typeof text !== 'string' || text.trim() === '') {
    lose('textless');
    return null;
  }
  // The id and the text have these names in the target.
  for (const name of [...IDS[mapping.target], to]) {
    if (Object.hasOwn(fields, name)) lose('twice');
    delete fields[name];
  }
  const others = nameable(fields, rules, lose);
  const body = { [DOCUMENT_ID]: id, ...others, [to]: text };
  if (mapping.target === 'documents') return documentRecord(body);
  return { id, body, signature: signatureOf({ id, metadata: { ...others, [to]: text } }) };
}

function vectorOf(
  { id, values, sparse }: ForeignRecord,
  metadata: JsonObject,
  { mapping, lose }: Omit<Making, 'rules'>,
): MigratedRecord | null {
  if (values === null) {
    lose('vectorless');
    return null;
  }
  const isSparse = sparse !== undefined && sparse !== null && sparse.indices.length > 0;
  const takesSparse = isSparse && mapping.hasSparse && isStorable(sparse);
  if (isSparse && !takesSparse) lose('sparse');
  const body = upsertable({
    id,
    values,
    sparseValues: takesSparse ? sparse : null,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  });
  return { id, body, signature: signatureOf(body) };
}

/** Others would cost their whole records, which are found by their dense vectors without them. */
function isStorable({ indices, values }: WireSparse): boolean {
  try {
    readSparse(indices, values);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

function textFields({ text }: Mapping): { readonly from: string; readonly to: string } {
  if (text !== null) return text;
  const sentence =
    'The target index takes texts: name the field of the source that has them by --text-field.';
  throw new CliProblem(sentence, EXIT_MISUSED);
}
