// Describes one endpoint as an operation of an OpenAPI document.
import { type ApiVersion, NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { FAULTS, type FaultName } from '../../domain/faults.ts';
import type { ErrorFamily, Success } from '../endpoint.ts';
import { familyOf } from '../fault-body.ts';
import { readsAtMoment } from '../rest/records/as-of.ts';
import { exampleOf } from '../schema/example-of.ts';
import { type JsonSchema, plainSchema } from '../schema/json-schema.ts';
import { schemaAt } from '../schema/schema-at.ts';
import { codeSamplesOf } from './code-samples/code-samples.ts';
import type { Components } from './components.ts';
import { ERROR_SCHEMAS } from './error-schemas.ts';
import { credentialsOf, type DescribedEndpoint, type Plane, sharedFaults } from './planes.ts';
import { commonHeaders, errorHeaders, successHeaders } from './response-headers.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const UPLOAD_TYPE = 'multipart/form-data';

type Json = Readonly<Record<string, unknown>>;

/** All faults of an endpoint, ordered by status. */
export function faultsOf(endpoint: DescribedEndpoint, plane: Plane): readonly FaultName[] {
  const all = new Set([...sharedFaults(endpoint, plane), ...endpoint.faults]);
  return [...all].sort((a, b) => FAULTS[a].status - FAULTS[b].status);
}

/** The success of an endpoint for callers of a version. */
export function successAt({ success, olderSuccess }: DescribedEndpoint, version: ApiVersion): Success {
  return olderSuccess !== undefined && version <= olderSuccess.until ? olderSuccess.success : success;
}

/** Describes endpoints for one version, and collects the schemas that they share. */
export class OperationWriter {
  readonly #version: ApiVersion;
  readonly #components: Components;

  constructor(version: ApiVersion, components: Components) {
    this.#version = version;
    this.#components = components;
  }

  operation(endpoint: DescribedEndpoint, plane: Plane): Json {
    const { id, tag, summary, description, versioning } = endpoint;
    const versionParameter = versioning === 'identity' ? 'IdentityApiVersion' : 'ApiVersion';
    return {
      operationId: id,
      tags: [tag],
      summary,
      ...(description === undefined ? {} : { description }),
      security: credentialsOf(endpoint, plane).map((name) => ({ [name]: [] })),
      parameters: [
        ...(versioning === 'ignored' ? [] : [{ $ref: `#/components/parameters/${versionParameter}` }]),
        ...(readsAtMoment(endpoint) ? [{ $ref: '#/components/parameters/AsOf' }] : []),
        ...this.#pathParameters(endpoint),
        ...this.#parameters('query', endpoint.query),
        ...this.#parameters('header', endpoint.headers),
      ],
      ...this.#requestBody(endpoint),
      responses: this.#responses(endpoint, plane),
      ...(this.#version === NEWEST_API_VERSION ? codeSamplesOf(id) : {}),
    };
  }

  #pathParameters({ path, params }: DescribedEndpoint): readonly Json[] {
    const { properties = {} } = plainSchema(params);
    return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
      this.#parameter({ name, in: 'path', required: true }, properties[name] ?? { type: 'string' }),
    );
  }

  #parameters(place: 'query' | 'header', values: object | undefined): readonly Json[] {
    const { properties = {}, required = [] } = schemaAt(plainSchema(values), this.#version);
    return Object.entries(properties).map(([name, schema]) =>
      this.#parameter({ name, in: place, required: required.includes(name) }, schema),
    );
  }

  #parameter(place: Json, schema: JsonSchema): Json {
    // A parameter has its schema in place: its description is about the parameter.
    const { description, title: _, ...rest } = schema;
    return {
      ...place,
      ...(description === undefined ? {} : { description }),
      ...this.#content(rest),
    };
  }

  #requestBody({ body, bodyTypes = [JSON_TYPE], bodyOptional, forms, kind }: DescribedEndpoint): Json {
    if (body === undefined) return {};
    const types = kind === 'upload' ? [UPLOAD_TYPE] : forms === true ? [...bodyTypes, FORM_TYPE] : bodyTypes;
    const content = types.map((type) => [type, this.#content(body)]);
    return { requestBody: { required: bodyOptional !== true, content: Object.fromEntries(content) } };
  }

  #responses(endpoint: DescribedEndpoint, plane: Plane): Json {
    const success = successAt(endpoint, this.#version);
    const common = commonHeaders(endpoint, plane);
    const errors = this.#errorResponses(faultsOf(endpoint, plane), endpoint, common);
    const { pages = [] } = endpoint;
    const responses: Record<string, Json> = {
      [success.status]: this.#response(success, { ...common, ...successHeaders(endpoint, success) }),
      ...errors,
    };
    for (const page of pages) {
      const known = responses[page.status] ?? {};
      const { content, ...shown } = this.#response(page, common);
      const both = { ...asJson(known.content), ...asJson(content) };
      responses[page.status] = { ...shown, ...known, ...(Object.keys(both).length > 0 && { content: both }) };
    }
    return responses;
  }

  #response({ description, schema, mediaType = JSON_TYPE, alternatives = {} }: Success, headers: Json): Json {
    const described = schema === undefined ? {} : { [mediaType]: schema, ...alternatives };
    const content = Object.entries(described).map(([type, each]) => [type, this.#content(each)]);
    return { description, headers, ...(content.length > 0 && { content: Object.fromEntries(content) }) };
  }

  #errorResponses(faults: readonly FaultName[], { errors }: DescribedEndpoint, common: Json): Json {
    const byStatus = Map.groupBy(faults, (name) => FAULTS[name].status);
    return Object.fromEntries(
      [...byStatus].map(([status, names]) => {
        const description = names.map((name) => `- \`${name}\`: ${FAULTS[name].when}`).join('\n');
        const schema = this.#components.place(errorSchema(names, errors));
        const headers = { ...common, ...errorHeaders(names) };
        return [status, { description, headers, content: { [JSON_TYPE]: { schema } } }];
      }),
    );
  }

  /** A schema, with its example. */
  #content(schema: object): Json {
    const present = schemaAt(plainSchema(schema), this.#version);
    const example = exampleOf(present);
    return { schema: this.#components.place(present), ...(example === undefined ? {} : { example }) };
  }
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Conditions of one status may have bodies of different families. */
function errorSchema(names: readonly FaultName[], errors: ErrorFamily): JsonSchema {
  const families = [...new Set(names.map((name) => familyOf(name, errors)))];
  const [only, ...others] = families.map((family) => ERROR_SCHEMAS[family]);
  return only !== undefined && others.length === 0
    ? only
    : { anyOf: families.map((each) => ERROR_SCHEMAS[each]) };
}
