// The control plane's endpoints, in the order of the reference.
import type { ControlEndpoint } from '../endpoint.ts';
import { configureIndex } from './configure-index.ts';
import { createCollection } from './create-collection.ts';
import { createIndex } from './create-index.ts';
import { createIndexForModel } from './create-index-for-model.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteIndex } from './delete-index.ts';
import { describeCollection } from './describe-collection.ts';
import { describeIndex } from './describe-index.ts';
import { listCollections } from './list-collections.ts';
import { listIndexes } from './list-indexes.ts';

export const controlEndpoints: readonly ControlEndpoint[] = [
  listIndexes,
  createIndex,
  createIndexForModel,
  describeIndex,
  configureIndex,
  deleteIndex,
  listCollections,
  createCollection,
  describeCollection,
  deleteCollection,
];
