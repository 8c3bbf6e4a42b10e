// The tool that reads whole records by their ids.
import { Type } from '../../api/schema/type.ts';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { fitList, shownFields } from '../fit-answer.ts';
import { FETCHED_IDS_MAX } from '../limits.ts';
import { type Ask, tool } from '../tool.ts';
import { IndexName, Namespace } from './arguments.ts';
import { dataPath, documentsPath, findIndex, type KnownIndex } from './index-kind.ts';
import { recordParts } from './record-parts.ts';

export const fetchRecords = tool(
  {
    name: 'fetch',
    title: 'Fetch records',
    description:
      `Returns up to ${FETCHED_IDS_MAX} whole records by their ids, as search and list_records return them: {"index": "notes", "ids": ["note-1"]}. ` +
      'Ids that do not exist are named in missing. Vectors are left out unless include_vectors is true.',
    effect: 'read',
    permission: 'data_plane::vectors::read',
    input: Type.Object(
      {
        index: IndexName,
        ids: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: FETCHED_IDS_MAX }),
        namespace: Namespace,
        fields: Type.Optional(
          Type.Array(Type.String(), { description: 'Names of the fields to return; default all.' }),
        ),
        include_vectors: Type.Optional(Type.Boolean({ description: 'Default false.' })),
      },
      { additionalProperties: false },
    ),
  },
  async ({ index: name, ids, namespace, fields = [], include_vectors: withVectors = false }, ask) => {
    const index = await findIndex(name, ask);
    const unique = [...new Set(ids)];
    const found = await foundRecords(index, { ids: unique, namespace, fields, withVectors }, ask);
    const items = unique.flatMap((id) => {
      const record = found.get(id);
      if (record === undefined) return [];
      const { own, vectors } = record;
      return [{ id, fields: shownFields(own, { names: fields, withVectors }), ...vectors }];
    });
    const missing = unique.filter((id) => !found.has(id));
    return fitList('records', {
      items,
      rest: missing.length === 0 ? {} : { missing },
      advice: 'Fetch fewer ids at once, or name the fields that you need with fields.',
    });
  },
);

interface Wanted {
  readonly ids: readonly string[];
  readonly namespace: string | undefined;
  /** Empty for all. */
  readonly fields: readonly string[];
  readonly withVectors: boolean;
}

interface FoundRecord {
  readonly own: JsonObject;
  /** Of kinds other than documents, whose vectors are fields; empty unless requested. */
  readonly vectors: { readonly values?: unknown; readonly sparse_values?: unknown };
}

/** The records that there are, by id. */
async function foundRecords(
  index: KnownIndex,
  { ids, namespace, fields, withVectors }: Wanted,
  ask: Ask,
): Promise<ReadonlyMap<string, FoundRecord>> {
  if (index.kind === 'documents') {
    const { documents } = await ask({
      method: 'POST',
      path: `${documentsPath(index, namespace)}/fetch`,
      body: { ids, ...(fields.length > 0 && { include_fields: fields }) },
    });
    return new Map(
      entriesOf(documents).map(([id, document]) => [
        id,
        { own: recordParts(index.kind, document).fields, vectors: {} },
      ]),
    );
  }
  const query = new URLSearchParams([
    ...ids.map((id) => ['ids', id]),
    ...(namespace === undefined ? [] : [['namespace', namespace]]),
    ...(withVectors ? [] : [['without_values', 'true']]),
    ['allow_spaces', 'true'],
  ]);
  const { vectors } = await ask({ method: 'GET', path: `${dataPath(index)}/vectors/fetch?${query}` });
  return new Map(
    entriesOf(vectors).map(([id, record]) => [
      id,
      { own: recordParts(index.kind, record).fields, vectors: withVectors ? vectorsOf(record) : {} },
    ]),
  );
}

function vectorsOf({ values, sparseValues }: JsonObject): FoundRecord['vectors'] {
  return {
    ...(Array.isArray(values) && values.length > 0 && { values }),
    ...(sparseValues !== undefined && { sparse_values: sparseValues }),
  };
}

function entriesOf(byId: unknown): readonly (readonly [string, JsonObject])[] {
  return Object.entries(membersOf(byId)).flatMap(([id, record]) =>
    isJsonObject(record) ? [[id, record] as const] : [],
  );
}
