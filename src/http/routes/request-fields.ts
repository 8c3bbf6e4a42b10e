// The parts of a request's URL, typed as endpoints expect them.
import type { FastifyRequest } from 'fastify';
import type { QueryValues } from '../../api/endpoint.ts';

export interface UrlFields {
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
}

/** Fastify leaves both untyped: the router makes strings of path parts, and the query parser strings or lists of them. */
export function urlFields({ params, query }: Pick<FastifyRequest, 'params' | 'query'>): UrlFields {
  return { params: params ?? {}, query: query ?? {} } as UrlFields;
}
