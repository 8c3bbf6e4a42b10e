// Changes an OpenAPI document so that every operation is sent to the origin of this page.

export interface Server {
  readonly url: string;
  readonly description?: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly description?: string }>>;
}

export interface OpenApiDocument {
  readonly info: { readonly version: string; readonly [key: string]: unknown };
  readonly paths: Readonly<Record<string, { readonly servers?: readonly Server[] }>>;
  readonly [key: string]: unknown;
}

/** The address that examples have. */
const EXAMPLE_BASE = 'http://localhost:5080';

/** Reads the text of a document, with this origin in its code samples. */
export function parseDocument(text: string, origin: string): OpenApiDocument {
  return JSON.parse(text.replaceAll(EXAMPLE_BASE, origin));
}

/**
 * Indexes have origins of their own, which a page of this one may not ask. The server takes their operations below
 * `/data/{index_name}` too.
 */
export function atOwnOrigin(document: OpenApiDocument, origin: string): OpenApiDocument {
  const index: Server = {
    url: `${origin}/data/{index_name}`,
    description: 'An index, by its name',
    variables: { index_name: { default: 'films', description: 'The name of the index' } },
  };
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    item.servers === undefined ? item : { ...item, servers: [index] },
  ]);
  return { ...document, servers: [{ url: origin }], paths: Object.fromEntries(paths) };
}
