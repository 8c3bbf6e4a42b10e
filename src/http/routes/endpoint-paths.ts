// Paths of endpoints: converts OpenAPI templates to router patterns, and describes paths without an endpoint.
import type { EndpointDetails, ErrorFamily } from '../../api/endpoint.ts';

/** What requests that match no endpoint need to know of the endpoints around them. */
export type Address = Pick<EndpointDetails, 'method' | 'path' | 'isOpenEnded' | 'errors'>;

/** What is known of a requested path that no endpoint serves with the requested method. */
export interface PathDetails {
  /** Methods that the path has; none if it is unknown. */
  readonly methods: readonly string[];
  /** The form of errors: that of the endpoints at the path, else of all beside it, below the same first segment. */
  readonly errors: ErrorFamily;
}

type Path = Pick<EndpointDetails, 'path' | 'isOpenEnded'>;

const LAST_PARAMETER = /\{(\w+)\}$/;
/** What the router calls a parameter with slashes. */
const OPEN_ENDED = '*';

/** `/indexes/{index_name}` -> `/indexes/:index_name` */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** As `routerPath`; of an endpoint with an open end, `/v1/models/{model}` -> `/v1/models/*` */
export function openRouterPath({ path, isOpenEnded = false }: Path): string {
  return routerPath(isOpenEnded ? path.replace(LAST_PARAMETER, OPEN_ENDED) : path);
}

/** The parameters of a request to an `openRouterPath` by the names of the endpoint. */
export function namedParams(
  { path }: Path,
  { [OPEN_ENDED]: end, ...params }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, last] = LAST_PARAMETER.exec(path) ?? [];
  return end === undefined || last === undefined ? params : { ...params, [last]: end };
}

/** Describes requested paths by the endpoints at and beside them. */
export function pathFinder(addresses: readonly Address[]): (path: string) => PathDetails {
  const known = addresses.map((address) => ({ ...address, pattern: patternOf(address) }));
  return (path) => {
    const here = known.filter(({ pattern }) => pattern.test(path));
    const beside = known.filter((each) => firstSegment(each.path) === firstSegment(path));
    return {
      methods: [...new Set(here.map(({ method }) => method))],
      errors: commonFamily(here) ?? commonFamily(beside) ?? 'standard',
    };
  };
}

function commonFamily(addresses: readonly Address[]): ErrorFamily | undefined {
  const [family, ...others] = new Set(addresses.map(({ errors }) => errors));
  return others.length === 0 ? family : undefined;
}

function firstSegment(path: string): string | undefined {
  return path.split('/', 2)[1];
}

function patternOf({ path, isOpenEnded = false }: Path): RegExp {
  const source = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(LAST_PARAMETER, isOpenEnded ? '.+' : '$&')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
