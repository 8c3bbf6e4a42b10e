// Namespaces of the source that records alone do not make: empty ones, and those with a metadata schema of their own.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type ApiClient, Refusal } from '../client/api-client.ts';
import { everyPage } from '../client/every-page.ts';
import { CliProblem } from '../command.ts';
import { DEFAULT_NAMESPACE } from './verify.ts';

const PAGE = 100;
const HTTP_CONFLICT = 409;
/** Of servers that list no namespaces. */
const HTTP_UNKNOWN: ReadonlySet<number> = new Set([400, 404, 405, 501]);

export interface DeclaredNamespace {
  readonly name: string;
  /** The schema as a creation takes it; null where it is that of the index. */
  readonly schema: JsonObject | null;
}

/** @param version of the interface; by default the client's @returns null where the source lists no namespaces */
export async function declaredNamespaces(
  source: ApiClient,
  version?: string,
): Promise<readonly DeclaredNamespace[] | null> {
  const declared: DeclaredNamespace[] = [];
  try {
    for await (const each of everyPage(source, `/namespaces?limit=${PAGE}`, 'namespaces', version)) {
      const { name, schema: own, record_count: records } = each;
      const schema = schemaIn(own);
      // It is always there, and cannot be created.
      if (name === DEFAULT_NAMESPACE || name === '') continue;
      if (schema !== null || Number(records ?? 0) === 0) declared.push({ name: String(name), schema });
    }
    return declared;
  } catch (error) {
    if (error instanceof Refusal && HTTP_UNKNOWN.has(error.status)) return null;
    throw error;
  }
}

/**
 * Creates those that are not there yet, before any record is written: a record would make them without their schema.
 * @throws CliProblem that names one that is there with another schema
 */
export async function createNamespaces(
  target: ApiClient,
  declared: readonly DeclaredNamespace[],
  version?: string,
): Promise<void> {
  const options = version === undefined ? {} : { version };
  for (const { name, schema } of declared) {
    const body = { name, ...(schema === null ? {} : { schema }) };
    try {
      await target.call('POST', '/namespaces', { body, ...options });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== HTTP_CONFLICT) throw error;
      const found = await target.call('GET', `/namespaces/${encodeURIComponent(name)}`, options);
      if (fieldsOf(schemaIn(found.schema)) !== fieldsOf(schema))
        throw new CliProblem(`Namespace ${name} exists with another metadata schema than in the source.`);
    }
  }
}

/** Sources may show what a namespace without one has as an empty schema. */
function schemaIn(json: unknown): JsonObject | null {
  if (!isJsonObject(json) || !isJsonObject(json.fields)) return null;
  return Object.keys(json.fields).length === 0 ? null : { fields: json.fields };
}

function fieldsOf(schema: JsonObject | null): string {
  return JSON.stringify(schema === null ? null : Object.keys(Object(schema.fields)).sort());
}
