// The condition on the records of a namespace that a filter means, with its text queries answered first.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { MatchTargets, ValuesRequest } from '../port/reader-and-writer.ts';
import type { Queryable } from './database.ts';
import { filterSql, idIn, type TextMatches, textQueriesOf } from './filter-sql.ts';
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

/** As `conditionOf`, on records that match one of the targets, too. */
export async function conditionAmong(
  source: ConditionSource,
  { filter, among }: Pick<ValuesRequest, 'filter' | 'among'>,
  parameters: Parameters,
): Promise<string> {
  const condition = await conditionOf(source, filter, parameters);
  if (among === null) return condition;
  const { client, row, profile, tables } = source;
  // Indexes of vectors have no tables of terms.
  const answered = profile.documents === null ? among.filter(({ text }) => text === null) : among;
  const texts = await textMatches(
    { client, row, names: tables.names },
    answered.flatMap(({ text }) => text ?? []),
  );
  return `${condition} and ${amongSql(answered, texts, parameters)}`;
}

function amongSql(among: NonNullable<MatchTargets>, texts: TextMatches, parameters: Parameters): string {
  const targets = among.map(({ sparse, text }) =>
    text !== null
      ? idIn(texts.get(text) ?? [], parameters)
      : sparse === null
        ? 'false'
        : `coalesce(sparse_indices && ${parameters.bind([...sparse.indices])}::bigint[], false)`,
  );
  return targets.length === 0 ? 'false' : `(${targets.join(' or ')})`;
}
