// Sends the example requests of an OpenAPI document to a service: a tour through all its operations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AdminService } from './admin.ts';
import { call } from './call.ts';
import { API_KEY } from './service.ts';

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
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

export class Tour {
  readonly version: string;
  readonly visited = new Set<string>();
  /** Where data operations go. */
  indexHost = '';
  readonly #admin: AdminService;
  readonly #places: ReadonlyMap<string, Place>;

  constructor(admin: AdminService, version: string) {
    this.version = version;
    this.#admin = admin;
    this.#places = placesOf(version);
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
   * @throws unless the response is the documented success
   */
  async run<Body extends object = Record<string, unknown>>(
    operationId: string,
    step: Step = {},
  ): Promise<Body> {
    const place = this.#places.get(operationId);
    if (place === undefined) return {} as Body;
    this.visited.add(operationId);
    const { method, operation, isData } = place;
    const [type = 'application/json', media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    const body = step.text ?? (media && this.#renamed({ ...asFields(media.example), ...step.body }));
    const isAdmin = operation.security.some((scheme) => 'AccessToken' in scheme);
    const headers = { 'content-type': type, ...step.headers };
    const base = isData ? this.indexHost : this.#admin.service.url;
    const path = this.#path(place, step);
    const options = { version: this.version, body, headers };
    const answer = isAdmin
      ? await this.#admin.call(method, path.replace(/^\/admin/, ''), options)
      : await call(base, method, path, { key: API_KEY, ...options });
    const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
    const what = `${operationId} of ${this.version}: ${answer.status} ${answer.text}`;
    assert.ok(successes.includes(String(answer.status)), what);
    return (answer.body ?? {}) as Body;
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

function placesOf(version: string): ReadonlyMap<string, Place> {
  const text = readFileSync(new URL(`../../docs/openapi/${version}.json`, import.meta.url), 'utf8');
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(text);
  const places = Object.entries(paths).flatMap(([path, { servers, ...item }]) =>
    Object.entries(item).map(([method, operation]): [string, Place] => [
      operation.operationId,
      { method: method.toUpperCase(), path, isData: servers !== undefined, operation },
    ]),
  );
  return new Map(places);
}
