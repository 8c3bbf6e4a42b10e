// Schemas of collections in responses.
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const CollectionObject = Type.Object(
  {
    name: Type.String(),
    status: choice(['Initializing', 'Ready', 'Terminating']),
    environment: Type.String(),
    size: Type.Optional(Type.Integer({ description: 'Bytes.' })),
    dimension: Type.Optional(Type.Integer()),
    vector_count: Type.Optional(Type.Integer()),
  },
  {
    title: 'Collection',
    examples: [
      {
        name: 'books-copy',
        status: 'Ready',
        environment: 'us-east-1-aws',
        size: 98_304,
        dimension: 3,
        vector_count: 1200,
      },
    ],
  },
);

export const CollectionList = Type.Object({ collections: Type.Array(CollectionObject) });

export const CollectionParams = Type.Object({
  collection_name: Type.String({ description: 'Name of the collection.', examples: ['books-copy'] }),
});
