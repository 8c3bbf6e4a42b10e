// Paths of endpoints: converts OpenAPI templates to router patterns, and describes paths without an endpoint.
import type { EndpointDetails, ErrorFamily } from '../../api/endpoint.ts';

/** What requests that match no endpoint need to know of the endpoints around them. */
export type Address = Pick<EndpointDetails, 'method' | 'path' | 'errors'>;

/** What is known of a requested path that no endpoint serves with the requested method. */
export interface PathDetails {
  /** Methods that the path has; none if it is unknown. */
  readonly methods: readonly string[];
  /** The form of errors: that of the endpoints at the path, else of all beside it, below the same first segment. */
  readonly errors: ErrorFamily;
}

/** `/indexes/{index_name}` -> `/indexes/:index_name` */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Describes requested paths by the endpoints at and beside them. */
export function pathFinder(addresses: readonly Address[]): (path: string) => PathDetails {
  const known = addresses.map((address) => ({ ...address, pattern: patternOf(address.path) }));
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

function patternOf(path: string): RegExp {
  const source = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
