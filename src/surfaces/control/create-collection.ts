// POST /collections: judges the request; this release makes no collections.
import { Type } from 'typebox';
import { isAtLeast } from '../../domain/api-version.ts';
import { Fault, fault, invalid } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import { checkName } from '../../domain/names.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../endpoint.ts';
import { Name } from './body-parts.ts';
import { CollectionObject } from './collection-schemas.ts';
import { deserialize } from './deserialize.ts';

const Body = Type.Object({
  name: Name,
  source: Type.String({ description: 'Name of a pod index.' }),
});

async function handle(call: ControlCall): Promise<Reply> {
  const { name, source } = deserialize(Body, call);
  checkName(name);
  const { deployment } = await sourceIndex(call, source);
  if (deployment.kind !== 'pod') {
    throw invalid(`Index ${source} is a ${deployment.kind} index; collections are made of pod indexes only.`);
  }
  throw fault('collections-unavailable', { source });
}

/** A missing source is 404 since 2026-07; before, it counted as a bad argument. */
async function sourceIndex({ access, version, services }: ControlCall, source: string): Promise<Index> {
  try {
    return await services.indexes.describe(access, source);
  } catch (error) {
    const older = !isAtLeast(version, '2026-07');
    if (older && error instanceof Fault && error.condition === 'index-not-found')
      throw invalid(error.message);
    throw error;
  }
}

export const createCollection: ControlEndpoint = {
  id: 'create_collection',
  method: 'POST',
  path: '/collections',
  tag: 'Collections',
  summary: 'Create a collection',
  description: 'Only pod indexes can have collections, and this release makes none.',
  since: '2024-04',
  permission: 'control_plane::collections::create',
  errors: 'standard',
  body: Body,
  success: { status: 201, description: 'The new collection.', schema: CollectionObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'index-not-found',
    'collections-unavailable',
  ],
  handle,
};
