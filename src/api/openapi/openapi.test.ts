// Guarantees of the API documentation: a valid document per version.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { API_VERSIONS } from '../../domain/api-version.ts';
import { FAULTS } from '../../domain/faults.ts';
import { controlEndpoint, dataEndpoint } from '../../http/testing/fakes.ts';
import { startTestServer } from '../../http/testing/start-test-server.ts';
import { Type } from '../schema/type.ts';
import { errorsPage } from './errors-page.ts';
import { openApiDocument } from './openapi-document.ts';

const EVIL = `<script>alert("1")</script>&'`;

const control = [
  controlEndpoint({
    id: 'list_things',
    method: 'GET',
    path: '/things',
    summary: EVIL,
    description: EVIL,
    success: {
      status: 200,
      description: 'Them.',
      schema: Type.String({ format: 'binary' }),
      mediaType: 'application/octet-stream',
      alternatives: { 'text/event-stream': Type.String() },
    },
  }),
  controlEndpoint({
    id: 'create_thing',
    method: 'POST',
    path: '/things',
    since: '2025-10',
    body: Type.Object({
      name: Type.String({ maxLength: 45, description: EVIL }),
      size: Type.Optional(Type.Integer()),
    }),
    success: { status: 201, description: 'Made.', schema: Type.Object({ id: Type.String() }) },
    faults: ['name-taken'],
  }),
];
const data = [
  dataEndpoint({
    id: 'list_parts',
    method: 'GET',
    path: '/parts/{part}',
    query: Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 100 })), prefix: Type.String() }),
    faults: ['dimension-mismatch'],
  }),
];
const admin = [
  {
    ...controlEndpoint({
      id: 'list_members',
      method: 'GET',
      path: '/admin/members',
      faults: ['user-not-found'],
    }),
    permission: 'admin::users::read',
  } as const,
];
const identity = [
  {
    ...controlEndpoint({
      id: 'trade',
      method: 'POST',
      path: '/trade',
      errors: 'oauth',
      body: Type.Object({}),
    }),
    credential: 'none',
    versioning: 'ignored',
    forms: true,
  } as const,
  {
    ...controlEndpoint({ id: 'who', method: 'GET', path: '/who', errors: 'identity' }),
    credential: 'session',
    versioning: 'identity',
    forms: false,
  } as const,
];
const sets = { control, data, inference: [], assistant: [], openai: [], admin, identity, console: [] };

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly {
    readonly $ref?: string;
    readonly in?: string;
    readonly name?: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
type Content = Readonly<
  Record<string, { readonly schema: { readonly $ref?: string; readonly properties?: object } }>
>;
interface Server {
  readonly url: string;
  readonly variables?: { readonly index_host: { readonly default: string } };
}
type PathItem = Partial<Readonly<Record<'get' | 'post', Operation>>> & {
  readonly servers?: readonly Server[];
};
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly Server[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly parameters: Readonly<
      Record<string, { readonly description: string; readonly schema: object; readonly example: string }>
    >;
  };
}

function documentOf(version: (typeof API_VERSIONS)[number]): Document {
  return JSON.parse(JSON.stringify(openApiDocument(version, sets)));
}

function operationsOf({ paths }: Document): readonly (readonly [string, Operation])[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) =>
    [get, post].filter((each) => each !== undefined).map((each) => [path, each] as const),
  );
}

function placesOf(path: string): readonly (string | undefined)[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
}

describe('the OpenAPI document', () => {
  test('has the endpoints of its version and older ones, no newer', () => {
    assert.deepEqual(Object.keys(documentOf('2025-04').paths['/things'] ?? {}), ['get']);
    assert.deepEqual(Object.keys(documentOf('2025-10').paths['/things'] ?? {}), ['get', 'post']);
  });

  test('states where each plane is served', () => {
    const { servers, paths } = documentOf('2026-07');
    assert.equal(servers[0]?.url, 'http://localhost:5080');
    assert.equal(paths['/things']?.servers, undefined);
    const [indexServer] = paths['/parts/{part}']?.servers ?? [];
    assert.equal(indexServer?.url, '{index_host}');
    assert.ok(indexServer?.variables?.index_host.default);
  });

  test('has every part an operation must have, for every version', () => {
    for (const version of API_VERSIONS) {
      const document = documentOf(version);
      assert.equal(document.openapi, '3.1.0');
      assert.equal(document.info.version, version);
      const operations = operationsOf(document);
      assert.equal(new Set(operations.map(([, { operationId }]) => operationId)).size, operations.length);
      for (const [path, { parameters, responses, tags }] of operations) {
        const inPath = parameters.filter((each) => each.in === 'path');
        assert.deepEqual(
          inPath.map(({ name }) => name),
          placesOf(path),
        );
        assert.ok(inPath.every(({ required }) => required));
        assert.ok(Object.values(responses).every(({ description }) => description !== ''));
        assert.ok(Object.keys(responses).every((status) => /^\d{3}$/.test(status)));
        assert.ok(tags.every((tag) => document.tags.some(({ name }) => name === tag)));
      }
    }
  });

  test('has no dangling references', () => {
    const document: unknown = documentOf('2026-07');
    for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const step = (node: unknown, key: string): unknown =>
        (node as Record<string, unknown> | undefined)?.[key];
      assert.notEqual(reference.split('/').reduce(step, document), undefined, reference);
    }
  });

  test('states the credential of each operation and the refusals that follow from it', () => {
    const { paths } = documentOf('2026-07');
    const details = (operation: Operation | undefined) => [
      operation?.security,
      Object.keys(operation?.responses ?? {}).filter((status) => ['401', '403'].includes(status)),
    ];
    assert.deepEqual(details(paths['/admin/members']?.get), [[{ AccessToken: [] }], ['401', '403']]);
    assert.deepEqual(details(paths['/who']?.get)[0], [{ SessionToken: [] }, { ApiKey: [] }]);
    assert.deepEqual(details(paths['/trade']?.post)[0], []);
    assert.deepEqual(details(paths['/things']?.get)[0], [{ ApiKey: [] }]);
  });

  test('supports APIs with their own error body, media type and version rule', () => {
    const { paths } = documentOf('2026-07');
    const [trade, who] = [paths['/trade']?.post, paths['/who']?.get];
    const types = ['application/json', 'application/x-www-form-urlencoded'];
    assert.deepEqual(Object.keys(trade?.requestBody?.content ?? {}), types);
    assert.ok(!trade?.parameters.some(({ $ref }) => $ref !== undefined));
    const shape = (operation: Operation | undefined, status: string) =>
      operation?.responses[status]?.content?.['application/json']?.schema.$ref;
    assert.equal(shape(trade, '429'), '#/components/schemas/OAuthError');
    assert.equal(shape(who, '401'), '#/components/schemas/IdentityError');
  });

  test('says as of which version a request without the header is answered, and nothing else', () => {
    const { paths, components } = documentOf('2026-04');
    const parameterOf = (operation: Operation | undefined) =>
      components.parameters[operation?.parameters[0]?.$ref?.split('/').at(-1) ?? ''];
    const usual = parameterOf(paths['/things']?.get);
    const ofIdentity = parameterOf(paths['/who']?.get);
    assert.match(String(usual?.description), /those of 2025-10, or of the first version that has/);
    assert.match(String(ofIdentity?.description), /those of 2026-07\.$/);
    for (const parameter of [usual, ofIdentity]) {
      assert.deepEqual(parameter?.schema, { type: 'string' });
      assert.equal(parameter?.example, '2026-04');
    }
  });

  test('lists parameters, bodies and every condition under its status and in its family', () => {
    const { paths } = documentOf('2026-07');
    const create = paths['/things']?.post;
    assert.deepEqual(Object.keys(create?.requestBody?.content['application/json']?.schema.properties ?? {}), [
      'name',
      'size',
    ]);
    assert.match(String(create?.responses['409']?.description), /name-taken/);
    assert.match(String(create?.responses['413']?.description), /payload-too-large/);
    const list = paths['/parts/{part}']?.get;
    const query = list?.parameters.filter((each) => each.in === 'query');
    assert.deepEqual(
      query?.map(({ name, required }) => [name, required]),
      [
        ['limit', false],
        ['prefix', true],
      ],
    );
    const schemaOf = (status: string) =>
      JSON.stringify(list?.responses[status]?.content?.['application/json']?.schema);
    assert.match(String(list?.responses['400']?.description), /dimension-mismatch/);
    const standard = '{"$ref":"#/components/schemas/Error"}';
    assert.equal(schemaOf('400'), '{"$ref":"#/components/schemas/DataError"}');
    assert.equal(schemaOf('401'), standard);
    assert.equal(schemaOf('403'), schemaOf('400'));
  });

  test('names the media types of a response, the one that its schema describes first', () => {
    const { paths } = documentOf('2026-07');
    assert.deepEqual(Object.keys(paths['/things']?.post?.responses['201']?.content ?? {}), [
      'application/json',
    ]);
    assert.deepEqual(paths['/things']?.get?.responses['200']?.content, {
      'application/octet-stream': {
        schema: { type: 'string', format: 'binary' },
        example: '(the bytes of the file)',
      },
      'text/event-stream': { schema: { type: 'string' } },
    });
  });
});

describe('over the wire', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>;
  before(async () => {
    server = await startTestServer({ control, data, settings: { drainSeconds: 1 } });
  });
  after(() => server.server.stop());

  test('serves the document for the newest version and for the requested one', async () => {
    const versionAt = async (query: string) =>
      JSON.parse(await (await fetch(`${server.base}/openapi.json${query}`)).text()).info.version;
    assert.equal(await versionAt(''), '2026-07');
    assert.equal(await versionAt('?version=2025-10'), '2025-10');
    for (const query of ['?version=1', '?version=__proto__', '?version=2025-10&version=2025-10']) {
      const answer = await fetch(`${server.base}/openapi.json${query}`);
      assert.equal(answer.status, 400, query);
    }
  });

  test('names the address of the request as its server, and escapes it', async () => {
    const serversFor = async (host: string) => {
      const { port } = new URL(server.base);
      const answer = await new Promise<string>((resolve, reject) => {
        get({ port, path: '/openapi.json', headers: { host } }, (response) => {
          text(response).then(resolve, reject);
        }).once('error', reject);
      });
      const { servers, paths }: Document = JSON.parse(answer);
      return [servers[0]?.url, paths['/parts/{part}']?.servers?.[0]?.variables?.index_host.default];
    };
    assert.deepEqual(await serversFor('db.example.org:81'), [
      'http://db.example.org:81',
      'http://db.example.org:5081',
    ]);
    assert.deepEqual(await serversFor('x"$&:81'), ['http://x"$&:81', 'http://x"$&:5081']);
  });

  test('serves the API reference under a policy that keeps scripts and requests to this server', async () => {
    const answer = await fetch(`${server.base}/docs`);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = String(answer.headers.get('content-security-policy'));
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'"])
      assert.ok(policy.split('; ').includes(part), part);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.doesNotMatch(await answer.text(), /<script(?![^>]* src="\.)/);
  });
});

test('covers every condition in the error reference', () => {
  for (const name of Object.keys(FAULTS)) assert.ok(errorsPage().includes(`\`${name}\``), name);
});
