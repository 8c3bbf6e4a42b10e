// The operations of an OpenAPI document of the service, with what a fuzzer needs to call them.
import { readFileSync } from 'node:fs';

export type Json = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Json;
  readonly example?: unknown;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** Whether it is called on the address of an index. */
  readonly isData: boolean;
  readonly usesToken: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly schema: Json; readonly example: unknown } | null;
}

interface Described {
  readonly operationId: string;
  readonly security?: readonly Json[];
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Json; readonly example?: unknown }>>;
  };
}

/** All operations of a version, and the schemas that theirs refer to by name. */
export class Interface {
  readonly version: string;
  readonly operations: readonly Operation[];
  readonly #document: Json;

  constructor(version: string) {
    this.version = version;
    const text = readFileSync(new URL(`../../docs/openapi/${version}.json`, import.meta.url), 'utf8');
    const document: { readonly paths: Record<string, Record<string, Described>> } & Json = JSON.parse(text);
    this.#document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, { servers, ...methods }]) =>
      Object.entries(methods).map(([method, described]) =>
        this.#operation(described, { method: method.toUpperCase(), path, isData: servers !== undefined }),
      ),
    );
  }

  /** The schema itself, or the one that it refers to. */
  resolve(schema: Json): Json {
    if (typeof schema.$ref !== 'string') return schema;
    const parts = schema.$ref.replace('#/', '').split('/');
    const found = parts.reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), this.#document);
    return isObject(found) ? found : {};
  }

  #operation(
    { operationId, security = [], parameters = [], requestBody }: Described,
    place: Pick<Operation, 'method' | 'path' | 'isData'>,
  ): Operation {
    const [media] = Object.entries(requestBody?.content ?? {});
    const body =
      media === undefined
        ? null
        : { type: media[0], schema: media[1].schema ?? {}, example: media[1].example };
    return {
      ...place,
      id: operationId,
      usesToken: security.some((scheme) => 'AccessToken' in scheme),
      parameters: parameters.flatMap((each) => {
        const known = this.resolve({ ...each });
        return isParameter(known) ? [known] : [];
      }),
      body,
    };
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isParameter(value: unknown): value is Parameter {
  return isObject(value) && typeof value.name === 'string' && typeof value.in === 'string';
}
