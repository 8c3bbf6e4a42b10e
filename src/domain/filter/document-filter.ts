// Filters on documents: comparisons of metadata, and the words of text fields.
import { type DocumentField, type DocumentSchema, textFieldsOf } from '../document-schema.ts';
import { invalid } from '../faults.ts';
import { MATCH_OPERATORS, type MatchOperator, queryOfMatch } from '../full-text/match-operand.ts';
import { MATCH_CONDITIONS_MAX } from '../full-text/query-limits.ts';
import { fieldText } from './condition-text.ts';
import type { Filter } from './grammar.ts';
import {
  type ConditionParser,
  metadataCondition,
  parseOptionalFilter,
  parseRequiredFilter,
} from './parse-filter.ts';

/** Parses the filter of a search or fetch; null when it is absent or empty. @throws bad-filter, invalid-argument */
export function parseOptionalDocumentFilter(json: unknown, schema: DocumentSchema): Filter | null {
  return parseOptionalFilter(json, documentCondition(schema));
}

/** Parses a filter that must have a condition. @throws bad-filter, invalid-argument */
export function parseDocumentFilter(json: unknown, schema: DocumentSchema): Filter {
  return parseRequiredFilter(json, documentCondition(schema));
}

/** Parses the filter of an update or delete, which cannot match texts. @throws bad-filter, invalid-argument */
export function parseMetadataFilter(json: unknown, schema: DocumentSchema): Filter {
  const parseCondition = documentCondition(schema);
  return parseRequiredFilter(json, (field, operator, operand) => {
    if (isTextOperator(operator)) {
      throw invalid(
        `operator ${operator} on field ${fieldText(field)} is not supported in updates and deletes`,
      );
    }
    return parseCondition(field, operator, operand);
  });
}

/** Counts the text conditions of one filter. */
function documentCondition(schema: DocumentSchema): ConditionParser {
  const texts = textFieldsOf(schema);
  let matches = 0;
  return (field, operator, operand) => {
    const declared = Object.hasOwn(schema.fields, field) ? schema.fields[field] : undefined;
    if (declared === undefined || declared.kind === 'metadata')
      return metadataCondition(field, operator, operand);
    const analysis = texts.get(field);
    if (analysis === undefined || !isTextOperator(operator)) throw refused(field, declared, operator);
    if (typeof operand !== 'string') return null;
    if (++matches > MATCH_CONDITIONS_MAX)
      throw invalid(`filter may have up to ${MATCH_CONDITIONS_MAX} conditions on the words of texts`);
    return { kind: 'text', query: queryOfMatch({ operator, field, operand }, analysis) };
  };
}

function isTextOperator(operator: string): operator is MatchOperator {
  return MATCH_OPERATORS.some((each) => each === operator);
}

function refused(field: string, declared: DocumentField, operator: string): Error {
  const name = fieldText(field);
  if (declared.kind !== 'string') return invalid(`filter cannot use field ${name}, which holds vectors`);
  if (!declared.storeText) return invalid(`filter cannot use field ${name}, whose text is not stored`);
  return invalid(
    `operator ${operator} is not supported on the full-text field ${name}; use $match_phrase, $match_all or $match_any`,
  );
}
