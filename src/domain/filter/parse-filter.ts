// Parses a filter from JSON into the tree of grammar.ts, or reports what is wrong with it.

import { fault, invalid } from '../faults.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { FILTER_DEPTH_MAX } from '../limits.ts';
import { conditionText, fieldText } from './condition-text.ts';
import type { Filter } from './grammar.ts';
import { parseOperator } from './parse-operator.ts';

/** Conditions of one filter, counting each operator, `$and`, `$or` and `$not`: each costs a pass over records. */
export const FILTER_CONDITIONS_MAX = 2_000;

/**
 * Parses a filter. `{}` becomes the filter that matches everything.
 * @throws bad-filter for a condition outside the language, invalid-argument for one over a limit
 */
export function parseFilter(json: unknown): Filter {
  if (!isJsonObject(json)) throw invalid(`filter must be an object, got ${conditionText(json)}`);
  return new FilterParser().parseEntries(json, 1);
}

/**
 * Parses an optional filter: absent, `null` and `{}` all mean no filter.
 * @throws as parseFilter
 */
export function parseOptionalFilter(json: unknown): Filter | null {
  if (json === undefined || json === null) return null;
  const filter = parseFilter(json);
  return isEmptyFilter(filter) ? null : filter;
}

/**
 * Parses a filter for operations that refuse `{}`, so that it does not match every record by accident.
 * @throws as parseFilter, and invalid-argument when there is no condition
 */
export function parseRequiredFilter(json: unknown): Filter {
  const filter = parseFilter(json);
  if (isEmptyFilter(filter)) throw invalid('filter must not be empty');
  return filter;
}

/** True when no condition of a filter can exclude a record: `{}` and combinations of it. */
export function isEmptyFilter(filter: Filter): boolean {
  if (filter.kind === 'all') return filter.parts.every(isEmptyFilter);
  return filter.kind === 'any' && filter.parts.some(isEmptyFilter);
}

function allOf(parts: readonly Filter[]): Filter {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: 'all', parts };
}

function badFilter(field: string, condition: unknown): Error {
  return fault('bad-filter', { field: fieldText(field), condition: conditionText(condition) });
}

class FilterParser {
  #conditions = 0;

  parseEntries(json: JsonObject, depth: number): Filter {
    if (depth > FILTER_DEPTH_MAX) throw invalid(`filter is nested deeper than ${FILTER_DEPTH_MAX} levels`);
    return allOf(Object.entries(json).map(([key, operand]) => this.#parseEntry(key, operand, depth)));
  }

  #parseEntry(key: string, operand: unknown, depth: number): Filter {
    switch (key) {
      case '$and':
        return allOf(this.#parseList(key, operand, depth));
      case '$or':
        return { kind: 'any', parts: this.#parseList(key, operand, depth) };
      case '$not':
        return { kind: 'not', part: this.#parseNested(key, operand, depth) };
      default:
        if (key.startsWith('$')) throw badFilter(key, operand);
        return this.#parseField(key, operand, depth);
    }
  }

  #parseList(key: string, operand: unknown, depth: number): readonly Filter[] {
    if (!Array.isArray(operand) || operand.length === 0) throw badFilter(key, operand);
    return operand.map((element: unknown) => this.#parseNested(key, element, depth));
  }

  #parseNested(key: string, json: unknown, depth: number): Filter {
    this.#count();
    if (!isJsonObject(json)) throw badFilter(key, json);
    return this.parseEntries(json, depth + 1);
  }

  #parseField(field: string, condition: unknown, depth: number): Filter {
    if (isJsonObject(condition)) return this.#parseOperators(field, condition, depth);
    this.#count();
    const test = parseOperator(field, '$eq', condition);
    if (test === null) throw badFilter(field, condition);
    return { kind: 'field', field, test };
  }

  #parseOperators(field: string, operators: JsonObject, depth: number): Filter {
    if (depth > FILTER_DEPTH_MAX) throw invalid(`filter is nested deeper than ${FILTER_DEPTH_MAX} levels`);
    const parts = Object.entries(operators).map(([operator, operand]): Filter => {
      this.#count();
      if (operator === '$not' && isJsonObject(operand)) {
        return { kind: 'not', part: this.#parseOperators(field, operand, depth + 1) };
      }
      const test = parseOperator(field, operator, operand);
      if (test === null) throw badFilter(field, operators);
      return { kind: 'field', field, test };
    });
    if (parts.length === 0) throw badFilter(field, operators);
    return allOf(parts);
  }

  #count(): void {
    this.#conditions++;
    if (this.#conditions > FILTER_CONDITIONS_MAX) {
      throw invalid(`filter has more than ${FILTER_CONDITIONS_MAX} conditions`);
    }
  }
}
