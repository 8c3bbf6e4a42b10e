// Parses a filter from JSON into the tree of grammar.ts, or reports what is wrong with it.

import { fault, invalid } from '../faults.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { FILTER_DEPTH_MAX } from '../limits.ts';
import { conditionText, fieldText } from './condition-text.ts';
import type { Filter } from './grammar.ts';
import { type ListOperator, mergeValues } from './merge-values.ts';
import { parseOperator } from './parse-operator.ts';

/**
 * Conditions of one filter, counting each operator, `$and`, `$or` and `$not`: each costs a pass over records. Those that
 * are merged to one list of values count once.
 */
export const FILTER_CONDITIONS_MAX = 2_000;

/** Returns the filter of `{field: {operator: operand}}`, or null for one outside the language. May throw faults. */
export type ConditionParser = (field: string, operator: string, operand: unknown) => Filter | null;

/**
 * Parses a filter on metadata. `{}` becomes the filter that matches everything.
 * @throws bad-filter for a condition outside the language, invalid-argument for one over a limit
 */
export function parseFilter(json: unknown): Filter {
  return parseFilterOf(json, metadataCondition);
}

/** Parses a filter of a language with other conditions. @throws as parseFilter */
function parseFilterOf(json: unknown, parseCondition: ConditionParser): Filter {
  if (!isJsonObject(json)) throw invalid(`filter must be an object, got ${conditionText(json)}`);
  return new FilterParser(parseCondition).parse(json);
}

/** A condition on a metadata field. */
export const metadataCondition: ConditionParser = (field, operator, operand) => {
  const test = parseOperator(field, operator, operand);
  return test === null ? null : { kind: 'field', field, test };
};

/**
 * Parses an optional filter: absent, `null` and `{}` all mean no filter.
 * @throws as parseFilter
 */
export function parseOptionalFilter(json: unknown, parseCondition = metadataCondition): Filter | null {
  if (json === undefined || json === null) return null;
  const filter = parseFilterOf(json, parseCondition);
  return isEmptyFilter(filter) ? null : filter;
}

/**
 * Parses a filter for operations that refuse `{}`, so that it does not match every record by accident.
 * @throws as parseFilter, and invalid-argument when there is no condition
 */
export function parseRequiredFilter(json: unknown, parseCondition = metadataCondition): Filter {
  const filter = parseFilterOf(json, parseCondition);
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
  readonly #parseCondition: ConditionParser;
  #conditions = 0;

  constructor(parseCondition: ConditionParser) {
    this.#parseCondition = parseCondition;
  }

  /** The limit is checked last, when it is known what is merged: a request bounds the conditions until then. */
  parse(json: JsonObject): Filter {
    const filter = this.#parseEntries(json, 1);
    if (this.#conditions > FILTER_CONDITIONS_MAX)
      throw invalid(`filter has more than ${FILTER_CONDITIONS_MAX} conditions`);
    return filter;
  }

  #parseEntries(json: JsonObject, depth: number): Filter {
    if (depth > FILTER_DEPTH_MAX) throw invalid(`filter is nested deeper than ${FILTER_DEPTH_MAX} levels`);
    return allOf(Object.entries(json).map(([key, operand]) => this.#parseEntry(key, operand, depth)));
  }

  #parseEntry(key: string, operand: unknown, depth: number): Filter {
    switch (key) {
      case '$and':
        return allOf(this.#parseList(operand, { key, depth, merges: 'notIn' }));
      case '$or':
        return { kind: 'any', parts: this.#parseList(operand, { key, depth, merges: 'in' }) };
      case '$not':
        this.#conditions++;
        return { kind: 'not', part: this.#parseNested(key, operand, depth) };
      default:
        if (key.startsWith('$')) throw badFilter(key, operand);
        return this.#parseField(key, operand, depth);
    }
  }

  #parseList(
    operand: unknown,
    { key, depth, merges }: { readonly key: string; readonly depth: number; readonly merges: ListOperator },
  ): readonly Filter[] {
    if (!Array.isArray(operand) || operand.length === 0) throw badFilter(key, operand);
    const parts = operand.map((element: unknown) => this.#parseNested(key, element, depth));
    const merged = mergeValues(parts, merges);
    this.#conditions += 1 - (parts.length - merged.length);
    return merged;
  }

  #parseNested(key: string, json: unknown, depth: number): Filter {
    if (!isJsonObject(json)) throw badFilter(key, json);
    const filter = this.#parseEntries(json, depth + 1);
    // An element without a condition costs as much as one.
    if (filter.kind === 'all' && filter.parts.length === 0) this.#conditions++;
    return filter;
  }

  #parseField(field: string, condition: unknown, depth: number): Filter {
    if (isJsonObject(condition)) return this.#parseOperators(field, condition, depth);
    this.#conditions++;
    const filter = this.#parseCondition(field, '$eq', condition);
    if (filter === null) throw badFilter(field, condition);
    return filter;
  }

  #parseOperators(field: string, operators: JsonObject, depth: number): Filter {
    if (depth > FILTER_DEPTH_MAX) throw invalid(`filter is nested deeper than ${FILTER_DEPTH_MAX} levels`);
    const parts = Object.entries(operators).map(([operator, operand]): Filter => {
      this.#conditions++;
      if (operator === '$not' && isJsonObject(operand)) {
        return { kind: 'not', part: this.#parseOperators(field, operand, depth + 1) };
      }
      const filter = this.#parseCondition(field, operator, operand);
      if (filter === null) throw badFilter(field, operators);
      return filter;
    });
    if (parts.length === 0) throw badFilter(field, operators);
    return allOf(parts);
  }
}
