// The tools that tell what there is: indexes, their namespaces, and the ids in them.
import { Type } from '../../api/schema/type.ts';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { fitList, shownFields } from '../fit-answer.ts';
import { HIT_TEXT_CHARS_MAX, LISTED_MAX } from '../limits.ts';
import { tool } from '../tool.ts';
import { Filter, IndexName, Limit, Namespace, PageToken } from './arguments.ts';
import { dataPath, documentsPath, findIndex, type KnownIndex, knownIndex, queryText } from './index-kind.ts';
import { listOf, nextPage } from './list-of.ts';
import { recordParts } from './record-parts.ts';

export const listIndexes = tool(
  {
    name: 'list_indexes',
    title: 'List indexes',
    description:
      'Lists the indexes of the project with their kind: "text" (search by a text of your own), "documents" (search by words, by meaning or both) or "vectors" (search by a vector or by a stored record only). Page by page in the order of their names. Call it first when you do not know the name of an index.',
    effect: 'read',
    permission: 'control_plane::indexes::list',
    input: Type.Object(
      {
        prefix: Type.Optional(Type.String({ description: 'Only names that start with this.' })),
        limit: Limit,
        page: PageToken,
      },
      { additionalProperties: false },
    ),
  },
  async ({ prefix, limit = LISTED_MAX, page }, ask) => {
    const listed = await ask({ method: 'GET', path: `/indexes${queryText({ prefix, limit, after: page })}` });
    const items = listOf(listed.indexes).map((each) => summaryOf(knownIndex(each)));
    return fitList('indexes', {
      items,
      next: nextPage(listed),
      advice: 'Ask for fewer with limit; describe_index takes any name.',
    });
  },
);

const ALL_NAMESPACES = 'list_namespaces has all of them, page by page.';

export const describeIndex = tool(
  {
    name: 'describe_index',
    title: 'Describe an index',
    description:
      'Tells what an index holds: its kind, the field that is embedded or the fields of its schema, its dimension and metric, and its namespaces with their record counts and metadata fields. Call it before you search an index for the first time, or write a filter.',
    effect: 'read',
    // It reads the namespaces, too; describing alone is allowed to every role.
    permission: 'data_plane::namespaces::read',
    input: Type.Object({ index: IndexName }, { additionalProperties: false }),
  },
  async ({ index: name }, ask) => {
    const index = await findIndex(name, ask);
    const { totalVectorCount } = await ask({
      method: 'GET',
      path: `${dataPath(index)}/describe_index_stats?without_namespaces=true`,
    });
    const isPod = isJsonObject(membersOf(index.described.spec).pod);
    const listed = isPod
      ? {}
      : await ask({
          method: 'GET',
          path: `${dataPath(index)}/namespaces${queryText({ limit: LISTED_MAX })}`,
        });
    const items = listOf(listed.namespaces).map(namespaceOf);
    const isPart = nextPage(listed).next_page !== undefined;
    return fitList('namespaces', {
      items,
      rest: {
        ...summaryOf(index),
        records: totalVectorCount,
        namespace_count: listed.total_count,
        ...(isPart && {
          note: `The first ${items.length} of ${listed.total_count} namespaces. ${ALL_NAMESPACES}`,
        }),
      },
      advice: ALL_NAMESPACES,
    });
  },
);

export const listNamespaces = tool(
  {
    name: 'list_namespaces',
    title: 'List namespaces',
    description:
      'Lists the namespaces of an index in the order of their names, with their record counts and the metadata fields that filters may use. A namespace is a part of an index that is searched separately, often one per customer or subject.',
    effect: 'read',
    permission: 'data_plane::namespaces::read',
    input: Type.Object(
      {
        index: IndexName,
        prefix: Type.Optional(Type.String({ description: 'Only names that start with this.' })),
        limit: Limit,
        page: PageToken,
      },
      { additionalProperties: false },
    ),
  },
  async ({ index: name, prefix, limit = LISTED_MAX, page }, ask) => {
    const query = queryText({ prefix, limit, paginationToken: page });
    const listed = await ask({ method: 'GET', path: `${dataPath({ name })}/namespaces${query}` });
    return fitList('namespaces', {
      items: listOf(listed.namespaces).map(namespaceOf),
      rest: { total_count: listed.total_count },
      next: nextPage(listed),
      advice: 'Ask for fewer with limit.',
    });
  },
);

export const listRecords = tool(
  {
    name: 'list_records',
    title: 'List records',
    description:
      'Lists records of a namespace in the order of their ids, page by page, without ranking them. Without a filter it returns only ids, and prefix narrows them: {"index": "notes", "prefix": "2026-"}. With a filter it returns the matching records with their fields: {"index": "films", "filter": {"year": 2020}}. To find records by what they are about, use search instead.',
    effect: 'read',
    permission: 'data_plane::vectors::read',
    input: Type.Object(
      {
        index: IndexName,
        namespace: Namespace,
        prefix: Type.Optional(
          Type.String({ description: 'Only ids that start with this. Not beside a filter.' }),
        ),
        filter: Filter,
        limit: Limit,
        page: PageToken,
      },
      { additionalProperties: false },
    ),
  },
  async ({ index: name, namespace, prefix, filter, limit = LISTED_MAX, page }, ask) => {
    const index = await findIndex(name, ask);
    if (filter !== undefined) {
      const found = await ask(filteredList(index, { namespace, filter, limit, page }));
      const records = Object.values(membersOf(found.vectors ?? found.documents)).filter(isJsonObject);
      return fitList('records', {
        items: records.map((record) => recordOf(index, record)),
        next: nextPage(found),
        advice: 'Ask for fewer with limit.',
      });
    }
    const listed =
      index.kind === 'documents'
        ? await ask({
            method: 'POST',
            path: `${documentsPath(index, namespace)}/list`,
            body: { prefix, limit, pagination_token: page },
          })
        : await ask({
            method: 'GET',
            path: `${dataPath(index)}/vectors/list${queryText({ namespace, prefix, limit, paginationToken: page })}`,
          });
    const ids = listOf(listed.vectors ?? listed.documents).map(
      (record) => recordParts(index.kind, record).id,
    );
    return { ids, ...nextPage(listed) };
  },
);

interface FilteredList {
  readonly namespace: string | undefined;
  readonly filter: JsonObject;
  readonly limit: number;
  readonly page: string | undefined;
}

function filteredList(index: KnownIndex, { namespace, filter, limit, page }: FilteredList) {
  const method = 'POST' as const;
  return index.kind === 'documents'
    ? {
        method,
        path: `${documentsPath(index, namespace)}/fetch`,
        body: { filter, limit, pagination_token: page },
      }
    : {
        method,
        path: `${dataPath(index)}/vectors/fetch_by_metadata`,
        body: { namespace, filter, limit, paginationToken: page },
      };
}

function recordOf({ kind }: KnownIndex, record: JsonObject): JsonObject {
  const { id, fields } = recordParts(kind, record);
  return { id, fields: shownFields(fields, { textCharsMax: HIT_TEXT_CHARS_MAX }) };
}

function namespaceOf({ name, record_count, indexed_fields }: JsonObject): JsonObject {
  return { name, records: record_count, metadata_fields: membersOf(indexed_fields).fields };
}

/** What a language model needs to know of an index. */
function summaryOf({ kind, textField, fields, dimension, described }: KnownIndex): JsonObject {
  const { name, metric, vector_type, status, tags, embed } = described;
  return {
    name,
    kind,
    ready: membersOf(status).ready,
    ...(kind === 'text' && { text_field: textField, model: membersOf(embed).model }),
    ...(kind === 'documents' && { fields: Object.entries(fields).map(fieldOf) }),
    ...(kind === 'vectors' && { dimension, vector_type }),
    ...(kind !== 'documents' && { metric }),
    ...(tags !== null && { tags }),
  };
}

function fieldOf([name, { type, description, full_text_search, embed, sparse_embed, dimension }]: readonly [
  string,
  JsonObject,
]): JsonObject {
  return {
    name,
    type,
    ...(typeof description === 'string' && { description }),
    ...(dimension !== undefined && { dimension }),
    ...(type === 'string' && {
      searched_by: [
        ...(isJsonObject(full_text_search) ? ['words'] : []),
        ...(isJsonObject(embed) || isJsonObject(sparse_embed) ? ['meaning'] : []),
      ],
    }),
  };
}
