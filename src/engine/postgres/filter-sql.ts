// Filters as SQL: conditions on the fields of a record, as SQL/JSON paths in bound parameters.
import { type Area, boundsOf, haversineLimit, POLE, UNITS_A_DEGREE } from '../../domain/filter/geo.ts';
import type { FieldTest, Filter, Scalar } from '../../domain/filter/grammar.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import type { Parameters } from './parameters.ts';
import { codedText, MOMENTS, POSITIONS } from './stored-fields.ts';

export type TextMatches = ReadonlyMap<TextQuery, readonly string[]>;

const RELATIONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

export interface FilterContext {
  readonly parameters: Parameters;
  /** Other fields count as absent. */
  readonly isFilterable: (field: string) => boolean;
  /** The ids of the records that each text query of the filter matches. */
  readonly texts: TextMatches;
}

/**
 * A condition that is true or false, never null. A path in lax mode looks into lists, and comparisons of different types
 * hold for nothing, which is what filters mean.
 */
export function filterSql(filter: Filter, context: FilterContext): string {
  switch (filter.kind) {
    case 'all':
      return joined(filter.parts, context, { by: 'and', empty: 'true' });
    case 'any':
      return joined(filter.parts, context, { by: 'or', empty: 'false' });
    case 'not':
      return `(not ${filterSql(filter.part, context)})`;
    case 'text':
      return idIn(context.texts.get(filter.query) ?? [], context.parameters);
    case 'live':
      return `(not ${fieldSql(filter.field, { op: 'compare', relation: 'lte', bound: filter.now }, context)})`;
    case 'field':
      return fieldSql(filter.field, filter.test, context);
  }
}

/** A condition on ids. */
export function idIn(ids: readonly string[], parameters: Parameters): string {
  return ids.length === 0 ? 'false' : `id = any(${parameters.bind(ids)}::text[])`;
}

/** The text queries of a filter. */
export function textQueriesOf(filter: Filter | null): readonly TextQuery[] {
  switch (filter?.kind) {
    case 'text':
      return [filter.query];
    case 'all':
    case 'any':
      return filter.parts.flatMap(textQueriesOf);
    case 'not':
      return textQueriesOf(filter.part);
    default:
      return [];
  }
}

function joined(
  parts: readonly Filter[],
  context: FilterContext,
  { by, empty }: { readonly by: string; readonly empty: string },
): string {
  if (parts.length === 0) return empty;
  return `(${parts.map((part) => filterSql(part, context)).join(` ${by} `)})`;
}

function fieldSql(field: string, test: FieldTest, context: FilterContext): string {
  const isFilterable = context.isFilterable(field);
  switch (test.op) {
    case 'in':
      return isFilterable ? anyOf(field, test.values, context) : 'false';
    case 'notIn':
      return isFilterable ? `(not ${anyOf(field, test.values, context)})` : 'true';
    case 'other':
      return isFilterable ? hasOther(field, test.values, context) : 'false';
    case 'exists': {
      if (!isFilterable) return test.present ? 'false' : 'true';
      const exists = `jsonb_exists(fields, ${context.parameters.bind(codedText(field))})`;
      return test.present ? exists : `(not ${exists})`;
    }
    case 'compare':
      return isFilterable
        ? matchesPath(field, `@ ${RELATIONS[test.relation]} ${literal(test.bound)}`, context)
        : 'false';
    case 'moment':
      return isFilterable ? isBetween(field, test, context) : 'false';
    case 'within':
      return isFilterable ? isWithin(field, test.area, context) : 'false';
  }
}

function isBetween(
  field: string,
  { from, to }: Extract<FieldTest, { op: 'moment' }>,
  { parameters }: FilterContext,
): string {
  const bounds = [
    ...(Number.isFinite(from) ? [`@ >= ${from}`] : []),
    ...(Number.isFinite(to) ? [`@ <= ${to}`] : []),
  ];
  const path = `${toldPath(MOMENTS, field)} ? (${bounds.join(' && ')})`;
  return `coalesce(fields @? ${parameters.bind(path)}::jsonpath, false)`;
}

/** Places within the bounds; of a circle, those whose haversine is no greater than its radius has. */
function isWithin(field: string, area: Area, { parameters }: FilterContext): string {
  const { south, north, longitudes } = boundsOf(area);
  const inRange = longitudes.map(([from, to]) => `(@[1] >= ${from} && @[1] <= ${to})`);
  const atPole = `@[0] == ${POLE} || @[0] == ${-POLE}`;
  const inBounds = `@[0] >= ${south} && @[0] <= ${north} && (${[atPole, ...inRange].join(' || ')})`;
  const path = parameters.bind(`strict ${toldPath(POSITIONS, field)}[*] ? (${inBounds})`);
  const limit = area.kind === 'circle' ? haversineLimit(area.meters) : Number.POSITIVE_INFINITY;
  if (area.kind === 'box' || !Number.isFinite(limit))
    return `coalesce(jsonb_path_exists(fields, ${path}::jsonpath, silent => true), false)`;
  const radians = (degrees: string) => `radians((${degrees}) / ${UNITS_A_DEGREE}.0)`;
  const [latitude, longitude] = ['(place ->> 0)::float8', '(place ->> 1)::float8'];
  const north2 = `power(sin(${radians(`${latitude} - (${area.latitude})`)} / 2), 2)`;
  const east2 = `power(sin(${radians(`${longitude} - (${area.longitude})`)} / 2), 2)`;
  const cosines = `cos(${radians(`${area.latitude}`)}) * cos(${radians(latitude)})`;
  const places = `jsonb_path_query(fields, ${path}::jsonpath, silent => true) as place`;
  return `exists (select from ${places} where ${north2} + ${cosines} * ${east2} <= ${parameters.bind(limit)}::float8)`;
}

function toldPath(member: string, field: string): string {
  return `$.${JSON.stringify(member)}.${JSON.stringify(codedText(field))}`;
}

function anyOf(field: string, values: readonly Scalar[], context: FilterContext): string {
  if (values.length === 0) return 'false';
  return matchesPath(field, values.map((value) => `@ == ${literal(value)}`).join(' || '), context);
}

/** Elements are compared as JSONB, of which numbers equal numbers only. */
function hasOther(field: string, values: readonly Scalar[], { parameters }: FilterContext): string {
  const path = parameters.bind(`$.${JSON.stringify(codedText(field))}[*]`);
  const others = parameters.bind(`[${values.map(literal)}]`);
  const elements = `jsonb_path_query(fields, ${path}::jsonpath) as element`;
  const listed = `select jsonb_array_elements(${others}::jsonb)`;
  return `exists (select from ${elements} where element not in (${listed}))`;
}

function matchesPath(field: string, condition: string, { parameters }: FilterContext): string {
  const path = `$.${JSON.stringify(codedText(field))} ? (${condition})`;
  return `coalesce(fields @? ${parameters.bind(path)}::jsonpath, false)`;
}

/** Strings of SQL/JSON paths are written as in JSON. */
function literal(value: Scalar): string {
  return JSON.stringify(typeof value === 'string' ? codedText(value) : value);
}
