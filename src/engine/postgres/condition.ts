// The condition on the records of a namespace that a filter means, with its text queries answered first.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { Queryable } from './database.ts';
import { filterSql, textQueriesOf } from './filter-sql.ts';
import { isFilterableIn, type NamespaceRow } from './namespaces.ts';
import type { Parameters } from './parameters.ts';
import type { RecordTables } from './record-tables.ts';
import { textMatches } from './text-search.ts';

export interface ConditionSource {
  readonly client: Queryable;
  readonly row: NamespaceRow;
  readonly profile: IndexProfile;
  readonly tables: RecordTables;
}

/** Binds the number of the namespace first. */
export async function conditionOf(
  { client, row, profile, tables }: ConditionSource,
  filter: Filter | null,
  parameters: Parameters,
): Promise<string> {
  const own = `namespace = ${parameters.bind(row.number)}`;
  if (filter === null) return own;
  const texts = await textMatches({ client, row, names: tables.names }, textQueriesOf(filter));
  return `${own} and ${filterSql(filter, { parameters, isFilterable: isFilterableIn(profile, row), texts })}`;
}
