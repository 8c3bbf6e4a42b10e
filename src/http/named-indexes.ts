// Requests to indexes by name: every data endpoint is also served on the base address, below /data/INDEX_NAME.
import type { FastifyRequest } from 'fastify';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import type { Index } from '../domain/index-model.ts';
import type { AnyRequest } from './connections/protocol-handlers.ts';

const PREFIXED = /^\/data\/([^/?#]+)(\/.*)$/;

export class NamedIndexes {
  readonly #directory: Pick<IndexDirectory, 'byName'>;
  readonly #names = new WeakMap<object, string>();

  constructor(directory: Pick<IndexDirectory, 'byName'>) {
    this.#directory = directory;
  }

  /** Takes the prefix from the path of a request on the base address; false for requests without one. */
  take(request: AnyRequest): boolean {
    const [, name, path] = PREFIXED.exec(request.url ?? '') ?? [];
    if (name === undefined || path === undefined) return false;
    this.#names.set(request, name);
    request.url = path;
    return true;
  }

  /** The index of the caller's own project that a request named; undefined for requests that named none. */
  indexOf({ raw, access }: Pick<FastifyRequest, 'raw' | 'access'>): Index | undefined {
    const name = this.#names.get(raw);
    return name === undefined || access === null ? undefined : this.#directory.byName(access.projectId, name);
  }

  /** The name that a request gave. */
  nameIn({ raw }: Pick<FastifyRequest, 'raw'>): string | undefined {
    return this.#names.get(raw);
  }
}
