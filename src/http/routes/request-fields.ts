// The parts of a request's URL and of its JSON body, typed as endpoints expect them.
import type { FastifyRequest } from 'fastify';
import type { QueryValues } from '../../api/endpoint.ts';
import { invalid } from '../../domain/faults.ts';
import { isJsonObject } from '../../domain/json.ts';

export interface UrlFields {
  /** The named parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryValues;
}

/** Fastify leaves both untyped: the router makes strings of path parts, and the query parser strings or lists of them. */
export function urlFields({ params, query }: Pick<FastifyRequest, 'params' | 'query'>): UrlFields {
  return { params: params ?? {}, query: query ?? {} } as UrlFields;
}

/**
 * The fields of a JSON body, without those that are null: some clients send every field they know.
 * @throws invalid-argument
 */
export function bodyFields(value: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw invalid('The request body must be a JSON object');
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
