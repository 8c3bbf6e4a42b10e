// The target index of a migration from another database: created for its vectors, or found.

import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { type ApiClient, Refusal } from '../client/api-client.ts';
import { type IndexKind, kindOf } from '../client/index-kind.ts';
import { CliProblem } from '../command.ts';
import type { ForeignCollection } from './sources/port.ts';
import { createTarget, matchingTarget } from './target-index.ts';

const HTTP_NOT_FOUND = 404;

export interface ForeignTarget {
  readonly host: string;
  readonly kind: IndexKind;
  /** The field with the text of an index that embeds; null elsewhere. */
  readonly textField: string | null;
  /** The schema of an index of documents, as it is described. */
  readonly fields: JsonObject;
}

/** Null where there is none. @throws CliProblem */
export async function existingTarget(client: ApiClient, name: string): Promise<ForeignTarget | null> {
  try {
    const path = `/indexes/${encodeURIComponent(name)}`;
    const index = await client.call('GET', path, { version: NEWEST_API_VERSION });
    const fields = membersOf(membersOf(index.schema).fields);
    return { host: String(index.host), kind: kindOf(index), textField: textFieldOf(index), fields };
  } catch (error) {
    if (error instanceof Refusal && error.status === HTTP_NOT_FOUND) return null;
    throw error;
  }
}

function textFieldOf({ embed }: JsonObject): string | null {
  const { text } = membersOf(membersOf(embed).field_map);
  return typeof text === 'string' ? text : null;
}

export interface NewForeignTarget {
  readonly name: string;
  readonly collection: ForeignCollection;
  readonly place: { readonly cloud: string; readonly region: string } | null;
}

/** The index of vectors, created if there is none. @throws CliProblem if there is another one of this name */
export async function vectorTarget(
  client: ApiClient,
  { name, collection, place }: NewForeignTarget,
): Promise<ForeignTarget> {
  const { dimension, metric } = collection;
  if (!Number.isInteger(dimension) || dimension < 1)
    throw new CliProblem('The source tells no dimension; it may be empty.');
  const source = {
    name,
    host: '',
    dimension,
    metric,
    vectorType: 'dense',
    tags: null,
    serverless: null,
    fields: null,
    metadataSchema: null,
  };
  const found = await matchingTarget(client, source, name);
  const index = found ?? (await createTarget(client, { source, name, place }));
  return { host: index.host, kind: 'vectors', textField: null, fields: {} };
}
