// One operator of a field condition: its operands and its test.
import { invalid } from '../faults.ts';
import { FILTER_IN_ENTRIES_MAX } from '../limits.ts';
import { fieldText } from './condition-text.ts';
import type { FieldTest, Scalar } from './grammar.ts';
import { parseExtension } from './parse-extension.ts';

/**
 * Returns the test of `{field: {operator: operand}}`, or null for an unknown operator or an invalid operand.
 * @throws invalid-argument for a list over the limit, for text-match operators, which need a document index, and for bad
 *   operands of operators that the public language does not have
 */
export function parseOperator(field: string, operator: string, operand: unknown): FieldTest | null {
  switch (operator) {
    case '$eq':
      return isScalar(operand) ? { op: 'in', values: [operand] } : null;
    case '$ne':
      return isScalar(operand) ? { op: 'notIn', values: [operand] } : null;
    case '$gt':
      return compare('gt', operand);
    case '$gte':
      return compare('gte', operand);
    case '$lt':
      return compare('lt', operand);
    case '$lte':
      return compare('lte', operand);
    case '$in':
      return isScalarList(field, operator, operand) ? { op: 'in', values: operand } : null;
    case '$nin':
      return isScalarList(field, operator, operand) ? { op: 'notIn', values: operand } : null;
    case '$exists':
      return typeof operand === 'boolean' ? { op: 'exists', present: operand } : null;
    case '$match_phrase':
    case '$match_all':
    case '$match_any':
      throw invalid(
        `operator ${operator} on field ${fieldText(field)} is only supported on full-text fields of document indexes`,
      );
    default:
      return parseExtension(field, operator, operand);
  }
}

function compare(relation: 'gt' | 'gte' | 'lt' | 'lte', bound: unknown): FieldTest | null {
  return typeof bound === 'number' && Number.isFinite(bound) ? { op: 'compare', relation, bound } : null;
}

/** JSON has no NaN, but 1e999 reads as Infinity and other wire formats carry both: neither is a value. */
function isScalar(value: unknown): value is Scalar {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' || typeof value === 'boolean';
}

function isScalarList(field: string, operator: string, operand: unknown): operand is readonly Scalar[] {
  if (!Array.isArray(operand)) return false;
  if (operand.length > FILTER_IN_ENTRIES_MAX) {
    throw invalid(
      `${operator} on field ${fieldText(field)} has ${operand.length} entries; at most ${FILTER_IN_ENTRIES_MAX} are allowed`,
    );
  }
  return operand.every(isScalar);
}
