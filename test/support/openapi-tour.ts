// Sends the example requests of an OpenAPI document to a service: a tour through all its operations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AdminService } from './admin.ts';
import { type Answer, call } from './call.ts';
import { type BoundedSchema, beyondBounds, type Resolve } from './openapi-bounds.ts';
import { API_KEY } from './service.ts';

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: BoundedSchema;
}
interface Media {
  readonly example?: unknown;
  readonly schema?: BoundedSchema;
}
interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Place {
  readonly method: string;
  readonly path: string;
  readonly isData: boolean;
  readonly operation: Operation;
}
type Fields = Readonly<Record<string, unknown>>;

/** What differs from the example of an operation. */
export interface Step {
  /** Path parameters, instead of those of the example. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Replaces fields of the body. */
  readonly body?: Fields;
  /** Replaces the whole body. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an operation is sent. */
interface Sent {
  readonly step: Step;
  readonly body: unknown;
}

const REFUSALS: readonly number[] = [400, 422];
/** For parameters without a maximum: more than 48 bits hold. */
const LARGE = 999_999_999_999_999;
/** Values beyond a bound that count as absent, beside another field that says what to do. */
const ABSENT: ReadonlySet<string> = new Set([
  'query_vectors: id, minLength 1',
  'context_assistant: messages, minItems 1',
]);

export class Tour {
  readonly version: string;
  readonly visited = new Set<string>();
  /** Requests beyond the bounds of their schemas, all refused. */
  refusals = 0;
  /** Where data operations go. */
  indexHost = '';
  readonly #admin: AdminService;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #resolve: Resolve;

  constructor(admin: AdminService, version: string) {
    const document = documentOf(version);
    this.version = version;
    this.#admin = admin;
    this.#places = placesOf(document);
    this.#resolve = (reference) => document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  }

  get operationIds(): readonly string[] {
    return [...this.#places.keys()];
  }

  has(operationId: string): boolean {
    return this.#places.has(operationId);
  }

  /** Names of the examples, so that versions do not share resources. */
  named(name: string): string {
    return `${name}-${this.version}`;
  }

  /**
   * Sends the example of an operation and returns the response's body; an empty one for versions without the operation.
   * Before, sends it with each part beyond each of its bounds.
   * @throws unless the response is the documented success, and what is out of bounds is refused
   */
  async run<Body extends object = Record<string, unknown>>(
    operationId: string,
    step: Step = {},
  ): Promise<Body> {
    const place = this.#places.get(operationId);
    if (place === undefined) return {} as Body;
    this.visited.add(operationId);
    const { operation } = place;
    const [, media] = mediaOf(operation);
    const body = step.text ?? (media && this.#renamed({ ...asFields(media.example), ...step.body }));
    await this.#probe(operationId, place, { step, body });
    const answer = await this.#send(place, step, body);
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    const what = `${operationId} of ${this.version}: ${answer.status} ${answer.text}`;
    assert.ok(successes.includes(String(answer.status)), what);
    return (answer.body ?? {}) as Body;
  }

  /** Sends what goes beyond the bounds of the operation's schemas. @throws unless each is refused */
  async #probe(operationId: string, place: Place, { step, body }: Sent): Promise<void> {
    for (const { name = '', schema = {}, ...parameter } of place.operation.parameters) {
      if (parameter.in !== 'query') continue;
      const sent = (value: unknown) =>
        this.#send(place, { ...step, query: { ...step.query, [name]: String(value) } }, body);
      for (const { bound, value } of beyondBounds(schema, undefined, this.#resolve))
        this.#noteRefusal(await sent(value), `${operationId}: ${name}, ${bound}`);
      if (schema.type === 'integer' && schema.maximum === undefined)
        assert.ok((await sent(LARGE)).status < 500, `${operationId}: ${name} of ${LARGE}`);
    }
    const [, { schema } = {}] = mediaOf(place.operation);
    if (schema === undefined || step.text !== undefined) return;
    for (const { place: part, bound, value } of beyondBounds(schema, body, this.#resolve))
      this.#noteRefusal(await this.#send(place, step, value), `${operationId}: ${part}, ${bound}`);
  }

  #noteRefusal({ status, text }: Answer, what: string): void {
    if (ABSENT.has(what)) return;
    assert.ok(REFUSALS.includes(status), `${what}: ${status} ${text.slice(0, 300)}`);
    this.refusals++;
  }

  #send(place: Place, step: Step, body: unknown): Promise<Answer> {
    const { method, operation, isData } = place;
    const [type = 'application/json'] = mediaOf(operation);
    const isAdmin = operation.security.some((scheme) => 'AccessToken' in scheme);
    const headers = { 'content-type': type, ...step.headers };
    const base = isData ? this.indexHost : this.#admin.service.url;
    const path = this.#path(place, step);
    const options = { version: this.version, body, headers };
    return isAdmin
      ? this.#admin.call(method, path.replace(/^\/admin/, ''), options)
      : call(base, method, path, { key: API_KEY, ...options });
  }

  #path({ path, operation }: Place, { path: places = {}, query = {} }: Step): string {
    const example = new Map(operation.parameters.map((each) => [each.name, each.example]));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = places[name] ?? asText(this.#renamed(example.get(name)));
      return encodeURIComponent(value);
    });
    const required = operation.parameters.filter((each) => each.in === 'query' && each.required === true);
    const search = new URLSearchParams({
      ...Object.fromEntries(required.map(({ name, example: value }) => [name, String(value)])),
      ...query,
    });
    return search.size === 0 ? filled : `${filled}?${search}`;
  }

  #renamed(value: unknown): unknown {
    if (value === undefined) return undefined;
    const text = JSON.stringify(value);
    const names = /"(books|books-copy|books-restored|notes|helper|nightly)"/g;
    return JSON.parse(text.replaceAll(names, (_, name: string) => `"${this.named(name)}"`));
  }
}

function asFields(value: unknown): Fields {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === 'object' && first !== null ? (first as Fields) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function mediaOf({ requestBody }: Operation): readonly [type?: string, media?: Media] {
  return Object.entries(requestBody?.content ?? {})[0] ?? [];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, BoundedSchema>> };
}

function documentOf(version: string): Document {
  return JSON.parse(readFileSync(new URL(`../../docs/openapi/${version}.json`, import.meta.url), 'utf8'));
}

function placesOf({ paths }: Document): ReadonlyMap<string, Place> {
  const places = Object.entries(paths).flatMap(([path, { servers, ...item }]) =>
    Object.entries(item).map(([method, operation]): [string, Place] => [
      operation.operationId,
      { method: method.toUpperCase(), path, isData: servers !== undefined, operation },
    ]),
  );
  return new Map(places);
}
