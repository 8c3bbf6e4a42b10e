// What callers who may not try: every operation of the served OpenAPI document, and every tool of the MCP server, each
// aimed at the victim where it can be.
import assert from 'node:assert/strict';
import { EVERY_ENDPOINT } from '../../api/openapi/every-endpoint.ts';
import type { Permission } from '../../domain/administration/permissions.ts';
import { PROJECT_TOOLS } from '../../mcp/tools.ts';

/** The name of the victim's assistant, its namespace, and whatever else has no name of its own. */
export const VICTIM = 'victim';
export const VICTIM_INDEX = 'victim-index';

/** Operations without a credential: links, and what issues credentials. Another one must be named here. */
const OPEN_OPERATIONS: ReadonlySet<string> = new Set([
  'read_linked_file',
  'exchange_token',
  'log_in',
  'log_in_at_workspace',
  'show_invite',
  'accept_invite',
  'sign_in_to_console',
  'describe_console_sign_in',
  'begin_provider_sign_in',
  'return_from_provider',
]);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The credential that an operation takes, by its security scheme. */
export type Credential = 'ApiKey' | 'BearerKey' | 'AccessToken' | 'SessionToken' | 'ConsoleSession';

export interface Target {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly base: string;
  /** A text is sent as the bytes of a file. */
  readonly body: object | string | undefined;
  readonly credentials: ReadonlySet<Credential>;
  /** The right that it needs; null for any valid credential. */
  readonly permission: Permission | null;
  /**
   * What a valid credential of somebody else gets. `refused`: it is about something of the victim's. `own`: what the
   * caller has itself. `tool`: a message whose answer may repeat its question.
   */
  readonly expected: 'refused' | 'own' | 'tool';
}

export interface Addresses {
  readonly base: string;
  /** Of the victim's index. */
  readonly host: string;
  /** What stands in paths, by parameter. */
  readonly ids: Readonly<Record<string, string>>;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: object }>> };
}
type PathItem = Partial<Record<(typeof METHODS)[number], Operation>> & { readonly servers?: unknown };

/** Fetches the document, so that operations that are added later are tried, too. */
export async function isolationTargets(addresses: Addresses): Promise<readonly Target[]> {
  const answer = await fetch(`${addresses.base}/openapi.json`);
  const { paths } = (await answer.json()) as { readonly paths: Readonly<Record<string, PathItem>> };
  const targets: Target[] = [];
  for (const [path, item] of Object.entries(paths))
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined)
        targets.push(
          ...targetsOf(operation, { method, path, isData: item.servers !== undefined }, addresses),
        );
    }
  const tried = new Set(targets.map(({ id }) => id));
  const left = Object.values(EVERY_ENDPOINT).flatMap((endpoints) =>
    endpoints.flatMap(({ id }) => (tried.has(id) || OPEN_OPERATIONS.has(id) ? [] : [id])),
  );
  assert.deepEqual(left, [], 'every endpoint is in the document');
  return [...targets, ...toolTargets(addresses)];
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly isData: boolean;
}

function targetsOf(
  { operationId: id, security, requestBody }: Operation,
  { method, path, isData }: Place,
  { base, host, ids }: Addresses,
): readonly Target[] {
  const credentials = new Set(security.flatMap((scheme) => Object.keys(scheme)) as Credential[]);
  assert.equal(credentials.size === 0, OPEN_OPERATIONS.has(id), `${id} takes no credential`);
  if (credentials.size === 0) return [];
  const [media] = Object.values(requestBody?.content ?? {});
  const isAimed = isData || path.includes('{');
  const target = {
    ...{ id, credentials, method: method.toUpperCase() },
    path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? VICTIM),
    body: aimed(media?.example),
    permission: permissionOf(id),
    expected: path.startsWith('/mcp') ? 'tool' : isAimed ? 'refused' : 'own',
  } as const;
  if (!isData) return [{ ...target, base }];
  return [host, `${base}/data/${VICTIM_INDEX}`].map((address) => ({ ...target, base: address }));
}

/** What copies something copies what the victim has. */
function aimed(body: object | string | undefined): object | string | undefined {
  return typeof body === 'object' && 'source' in body ? { ...body, source: VICTIM_INDEX } : body;
}

function permissionOf(operationId: string): Permission | null {
  const endpoint = Object.values(EVERY_ENDPOINT)
    .flat()
    .find(({ id }) => id === operationId);
  return endpoint?.permission ?? null;
}

function toolTargets({ base }: Addresses): readonly Target[] {
  const named = { index: VICTIM_INDEX, name: VICTIM_INDEX, namespace: VICTIM, assistant: VICTIM };
  const asked = { query: 'what do you know?', message: 'what do you know?', ids: [VICTIM], id: VICTIM };
  return PROJECT_TOOLS.tools.map(({ name, permission, input }) => {
    const known = { ...named, ...asked, records: [{ id: VICTIM, values: [1, 2] }], values: [2, 1] };
    const fields = Object.entries(known).filter(([field]) => field in input.properties);
    const args = Object.fromEntries(
      fields.filter(([field]) => field !== 'query' || !('id' in input.properties)),
    );
    return {
      ...{ id: `tool ${name}`, method: 'POST', path: '/mcp', base, permission, expected: 'tool' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      credentials: new Set(['ApiKey', 'BearerKey'] as const),
    };
  });
}
