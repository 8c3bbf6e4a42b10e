// Checks responses of the service against the OpenAPI document of the version that the request asked for.
import { readFileSync } from 'node:fs';
import Schema, { type Validator, type XSchema } from 'typebox/schema';

type Json = Readonly<Record<string, unknown>>;

/** The parts of a request that say what its response must look like. */
export interface SeenRequest {
  readonly method: string;
  /** With the query, if any. */
  readonly path: string;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface SeenResponse {
  readonly status: number;
  readonly header: (name: string) => string | null | undefined;
  readonly text: string;
}

interface Described {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema?: XSchema }>>;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: XSchema;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Described>>;
}
interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly headers: Readonly<Record<string, Header>> };
}

const NEWEST = '2026-07';
/** As which requests without a version are answered, where it has the operation. */
const UNNAMED = '2025-10';
/** What answers with indexes, which have every key for requests without a version. */
const INDEX_OBJECTS = /^\/indexes(\/[^/]*)?$/;
const VERSIONS: ReadonlySet<string> = new Set([
  '2024-04',
  '2024-07',
  '2024-10',
  '2025-01',
  '2025-04',
  UNNAMED,
  '2026-04',
  NEWEST,
]);
/** Larger bodies are lists of more of the same. */
const CHECKED_CHARS_MAX = 200_000;
/** Answers to requests that reach no endpoint: the connection's limits, and methods that a path does not have. */
const OUTSIDE: ReadonlySet<number> = new Set([405, 408, 431]);

/** @throws Error that names the operation and what differs, unless the document describes the response */
export function checkResponse(request: SeenRequest, response: SeenResponse): void {
  const [path = ''] = request.path.split('?');
  const { document, operation } = describedAt(request, path);
  if (operation === undefined || OUTSIDE.has(response.status)) return;
  const problem = problemOf({ document, operation, response });
  if (problem === undefined) return;
  const { version } = document.info;
  throw new Error(
    `the OpenAPI document ${version} does not describe a response of ${operation.operationId}: ${response.status}, ` +
      `${problem}; got ${response.text.slice(0, 400)}`,
  );
}

interface Seen {
  readonly document: Document;
  readonly operation: Operation;
  readonly response: SeenResponse;
}

function problemOf(seen: Seen): string | undefined {
  const { document, operation, response } = seen;
  const described = operation.responses[response.status];
  if (described === undefined) return 'unknown status';
  return headerProblem(document, described, response) ?? bodyProblem(seen, described);
}

function headerProblem(
  { components }: Document,
  { headers = {} }: Described,
  { header }: SeenResponse,
): string | undefined {
  for (const [name, reference] of Object.entries(headers)) {
    const described = components.headers[reference.$ref?.split('/').at(-1) ?? ''] ?? reference;
    const value = header(name);
    if (typeof value !== 'string') {
      if (described.required === true) return `no header ${name}`;
    } else if (described.schema !== undefined && !Schema.Check(described.schema, value)) {
      return `header ${name} is ${value}`;
    }
  }
  return undefined;
}

function bodyProblem(seen: Seen, { content }: Described): string | undefined {
  const { text, header } = seen.response;
  if (content === undefined) return text === '' ? undefined : 'a body';
  const [type = ''] = (header('content-type') ?? '').split(';');
  const described = content[type];
  if (described?.schema === undefined) return `media type '${type}'`;
  if (type !== 'application/json' || text.length > CHECKED_CHARS_MAX) return undefined;
  const value: unknown = JSON.parse(text);
  const validator = validatorOf(seen, described.schema);
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
}

const validators = new WeakMap<object, Validator>();

function validatorOf({ document }: Seen, schema: XSchema): Validator {
  const key = typeof schema === 'object' ? schema : document;
  const known = validators.get(key);
  if (known !== undefined) return known;
  const made = Schema.Compile({ ...asObject(schema), components: document.components });
  validators.set(key, made);
  return made;
}

function asObject(schema: XSchema): object {
  return typeof schema === 'object' ? schema : {};
}

/** The operation in the document of the version that the request is answered in. */
function describedAt(
  { method, headers }: SeenRequest,
  path: string,
): { readonly document: Document; readonly operation: Operation | undefined } {
  const asked = headers['x-service-api-version'] ?? headers['x-pinecone-api-version'];
  const isUnnamed = asked === undefined && !INDEX_OBJECTS.test(path);
  const document = documentOf(isUnnamed ? UNNAMED : versionOf(asked));
  const operation = operationAt(document, method, path);
  if (operation !== undefined || !isUnnamed) return { document, operation };
  const newest = documentOf(NEWEST);
  return { document: newest, operation: operationAt(newest, method, path) };
}

function versionOf(asked: unknown): string {
  const [version = ''] = String(asked ?? '').split(/, */);
  return VERSIONS.has(version) ? version : NEWEST;
}

const documents = new Map<string, Document>();

function documentOf(version: string): Document {
  const known = documents.get(version);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`../../docs/openapi/${version}.json`, import.meta.url), 'utf8');
  // Closed objects: a field that the document does not name is a difference, too.
  const document = JSON.parse(text, closed) as Document;
  documents.set(version, document);
  return document;
}

function closed(_key: string, value: unknown): unknown {
  if (!isObject(value) || value.type !== 'object' || !isObject(value.properties)) return value;
  return 'additionalProperties' in value ? value : { ...value, additionalProperties: false };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for paths and methods that the document does not have. */
function operationAt({ paths }: Document, method: string, path: string): Operation | undefined {
  const name = method.toLowerCase();
  // Assistants are served without their prefix, too.
  const candidates = [path, `/assistant${path}`].flatMap((each) => templatesOf(paths, each));
  return candidates.map((template) => paths[template]?.[name]).find((each) => each !== undefined);
}

/** The templates that a path fits, those with the fewest places first. */
function templatesOf(paths: Document['paths'], path: string): readonly string[] {
  const parts = path.split('/');
  const placesIn = (template: string) => template.split('{').length;
  return Object.keys(paths)
    .filter((template) => fits(template.split('/'), parts))
    .sort((a, b) => placesIn(a) - placesIn(b));
}

function fits(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((each, at) => (each.startsWith('{') ? parts[at] !== '' : each === parts[at]))
  );
}
