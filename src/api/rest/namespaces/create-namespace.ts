// POST /namespaces: creates an empty namespace, optionally with a metadata schema of its own.
import { invalid } from '../../../domain/faults.ts';
import { readMetadataSchema } from '../../../domain/records/metadata-schema.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { refusePods } from '../records/index-kinds.ts';
import { parseBody } from '../records/parse-body.ts';
import { field } from '../records/request-fields.ts';
import { MetadataSchemaInput, NamespaceName, NamespaceObject } from '../records/schemas.ts';
import { namespaceObject } from './namespace-object.ts';

export const createNamespace: DataEndpoint = {
  id: 'create_namespace',
  method: 'POST',
  path: '/namespaces',
  tag: 'Namespaces',
  summary: 'Create a namespace',
  description: 'The schema, if given, replaces the schema of the index in this namespace.',
  since: '2025-10',
  permission: 'data_plane::namespaces::write',
  errors: 'rpc',
  queue: 'write',
  aliasRefusal: 'name-in-use-by-alias',
  body: Type.Object(
    { name: NamespaceName, schema: MetadataSchemaInput },
    { title: 'CreateNamespaceRequest' },
  ),
  success: { status: 200, description: 'Created.', schema: NamespaceObject },
  faults: [
    'name-in-use-by-alias',
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'wrong-index-kind',
    'namespace-exists',
    'storage-full',
  ],
  handle: async ({ namespaces, body, index, store, version }) => {
    refusePods(index, 'Creating namespaces');
    const request = parseBody(body);
    const name = namespaces.read(field(request, 'name')).stored;
    if (name === '') throw invalid('name must be given; the default namespace cannot be created');
    const schema = readMetadataSchema(request.schema);
    const summary = await store.createNamespace(name, schema);
    const fields = schema === null ? (index.filterableFields ?? []) : Object.keys(schema.fields);
    return { status: 200, body: namespaceObject(summary, fields.toSorted(), version) };
  },
};
