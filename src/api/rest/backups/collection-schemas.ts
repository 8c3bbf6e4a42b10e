// Schemas of collections in responses.
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const CollectionObject = Type.Object({
  name: Type.String(),
  status: choice(['Initializing', 'Ready', 'Terminating']),
  environment: Type.String(),
  size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
  dimension: Type.Optional(Type.Integer()),
  vector_count: Type.Optional(Type.Integer()),
});

export const CollectionList = Type.Object({ collections: Type.Array(CollectionObject) });

export const CollectionParams = Type.Object({
  collection_name: Type.String({ description: 'Name of the collection.' }),
});
