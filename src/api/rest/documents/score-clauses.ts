// The score_by of a document search: its clauses, checked by themselves and together.
import { Buffer } from 'node:buffer';
import type { DocumentField, DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { QUERY_BYTES_MAX } from '../../../domain/full-text/query-limits.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { SCORE_CLAUSES_MAX } from '../../../domain/limits.ts';
import { refuseUnknown, requiredObject } from '../records/request-fields.ts';

/** A checked clause; vectors are still JSON. */
export type ScoreClause =
  | { readonly type: 'text'; readonly fields: readonly string[]; readonly query: string }
  | { readonly type: 'query_string'; readonly query: string }
  | { readonly type: 'dense_vector'; readonly field: string; readonly values: unknown }
  | { readonly type: 'sparse_vector'; readonly field: string; readonly sparseValues: unknown }
  | { readonly type: 'embed' | 'sparse_embed'; readonly field: string; readonly query: string };

export type ClauseType = ScoreClause['type'];

/** Clauses that name their fields. */
type FieldClauseType = Exclude<ClauseType, 'query_string'>;

/** Clauses that several searches of words may combine. */
export type TextClause = Extract<ScoreClause, { readonly type: 'text' | 'query_string' }>;

const KEYS: Readonly<Record<ClauseType, readonly string[]>> = {
  text: ['type', 'field', 'fields', 'query'],
  query_string: ['type', 'query'],
  dense_vector: ['type', 'field', 'fields', 'values'],
  sparse_vector: ['type', 'field', 'fields', 'sparse_values'],
  embed: ['type', 'field', 'fields', 'query'],
  sparse_embed: ['type', 'field', 'fields', 'query'],
};

/**
 * Reads score_by.
 * @throws invalid-argument for a clause outside the rules, and for vectors beside other clauses unless `mayMix`
 */
export function readScoreClauses(
  json: unknown,
  schema: DocumentSchema,
  { mayMix }: { readonly mayMix: boolean },
): readonly ScoreClause[] {
  if (!Array.isArray(json)) throw invalid('score_by must be a list of clauses');
  if (json.length < 1 || json.length > SCORE_CLAUSES_MAX) {
    throw invalid(`score_by must hold 1 to ${SCORE_CLAUSES_MAX} clauses, got ${json.length}`);
  }
  const clauses = json.map((clause: unknown) =>
    readClause(requiredObject(clause, 'Each clause of score_by'), schema),
  );
  if (clauses.length > 1 && !mayMix && !clauses.every(isTextClause)) {
    throw invalid('score_by may combine text and query_string clauses only; any other clause must be alone');
  }
  return clauses;
}

export function isTextClause(clause: ScoreClause): clause is TextClause {
  return clause.type === 'text' || clause.type === 'query_string';
}

function readClause(clause: JsonObject, schema: DocumentSchema): ScoreClause {
  const { type } = clause;
  if (!isClauseType(type)) {
    throw invalid(`score_by: type must be one of ${Object.keys(KEYS).join(', ')}`);
  }
  if (type === 'query_string' && (isGiven(clause.field) || isGiven(clause.fields))) {
    throw invalid('score_by: query_string takes no field; name fields in the query, as in title:apple');
  }
  refuseUnknown(clause, KEYS[type], `A clause of type ${type}`);
  switch (type) {
    case 'query_string':
      return { type, query: queryText(type, clause.query) };
    case 'text': {
      const fields = clauseFields(type, clause);
      for (const field of fields) requireField(field, schema, type);
      return { type, fields, query: queryText(type, clause.query) };
    }
    case 'dense_vector':
      return { type, field: onlyField(type, clause, schema), values: clause.values };
    case 'sparse_vector':
      return { type, field: onlyField(type, clause, schema), sparseValues: clause.sparse_values };
    default:
      return { type, field: onlyField(type, clause, schema), query: queryText(type, clause.query) };
  }
}

function isClauseType(type: unknown): type is ClauseType {
  return typeof type === 'string' && Object.hasOwn(KEYS, type);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function clauseFields(type: ClauseType, { field, fields }: JsonObject): readonly string[] {
  if (isGiven(field) === isGiven(fields)) throw invalid(`score_by: ${type} takes either field or fields`);
  const list: unknown = isGiven(field) ? [field] : fields;
  if (!Array.isArray(list) || list.length === 0 || !list.every((name) => typeof name === 'string')) {
    throw invalid(`score_by: the fields of ${type} must be a list of at least one field name`);
  }
  return list;
}

function onlyField(type: FieldClauseType, clause: JsonObject, schema: DocumentSchema): string {
  const [field, ...others] = clauseFields(type, clause);
  if (field === undefined || others.length > 0) throw invalid(`score_by: ${type} takes exactly one field`);
  requireField(field, schema, type);
  return field;
}

function queryText(type: ClauseType, query: unknown): string {
  if (typeof query !== 'string') throw invalid(`score_by: the query of ${type} must be a string`);
  // Errors of a query string name positions in it as it was sent.
  const text = type === 'query_string' ? query : query.trim();
  if (text.trim() === '') throw invalid(`score_by: the query of ${type} must not be empty`);
  const bytes = Buffer.byteLength(text);
  if (bytes > QUERY_BYTES_MAX) {
    throw invalid(
      `score_by: the query of ${type} has ${bytes} bytes; at most ${QUERY_BYTES_MAX} are allowed`,
    );
  }
  return text;
}

const FIELD_KINDS: Readonly<Record<FieldClauseType, string>> = {
  text: 'a full-text field',
  dense_vector: 'a dense_vector field',
  sparse_vector: 'a sparse_vector field',
  embed: 'a field with embed',
  sparse_embed: 'a field with sparse_embed',
};

function requireField(name: string, schema: DocumentSchema, type: FieldClauseType): void {
  const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (field !== undefined && serves(field, type)) return;
  throw invalid(
    `score_by: ${type} requires ${FIELD_KINDS[type]}; '${fieldText(name)}' is none of this index`,
  );
}

function serves(field: DocumentField, type: FieldClauseType): boolean {
  switch (type) {
    case 'text':
      return field.kind === 'string' && field.fullText !== null;
    case 'dense_vector':
      return field.kind === 'dense';
    case 'sparse_vector':
      return field.kind === 'sparse';
    case 'embed':
      return field.kind === 'string' && field.embed !== null;
    case 'sparse_embed':
      return field.kind === 'string' && field.sparseEmbed !== null;
  }
}
