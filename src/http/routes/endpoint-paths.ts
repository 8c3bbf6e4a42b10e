// Paths of endpoints: converts OpenAPI templates to router patterns, and finds the methods of a path.
import type { EndpointDetails } from '../../api/endpoint.ts';

type Address = Pick<EndpointDetails, 'method' | 'path'>;

/** `/indexes/{index_name}` -> `/indexes/:index_name` */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Finds the methods of a requested path; none if the path is unknown. */
export function methodFinder(addresses: readonly Address[]): (path: string) => readonly string[] {
  const patterns = addresses.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (path) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(methods)];
  };
}

function patternOf(path: string): RegExp {
  const source = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}
