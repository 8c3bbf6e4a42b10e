// POST /bulk/imports: starts an import of files into new namespaces.
import { invalid } from '../../../domain/faults.ts';
import {
  IMPORT_URI_CHARS_MAX,
  INTEGRATION_ID_CHARS_MAX,
  type OnError,
  type RequestedImport,
} from '../../../domain/imports/import-model.ts';
import { Type } from '../../schema/type.ts';
import { optionalObject, optionalString } from '../records/request-fields.ts';
import { bulkBody, readOnError, textField } from './bulk-body.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { ColumnMap, columnsOf } from './column-map.ts';

export const startImport: BulkEndpoint = {
  id: 'start_bulk_import',
  method: 'POST',
  path: '/bulk/imports',
  tag: 'Bulk imports',
  summary: 'Start an import',
  description:
    'Reads `URI/NAMESPACE/*.parquet`, `*.jsonl` and `*.jsonl.gz`, for indexes of documents and texts, too. The namespaces must not exist; the default one must be empty.',
  since: '2024-10',
  permission: 'data_plane::imports::write',
  errors: 'both',
  body: Type.Object(
    {
      uri: Type.String({
        minLength: 1,
        maxLength: IMPORT_URI_CHARS_MAX,
        description:
          '`s3://BUCKET/FOLDER` or `file:///FOLDER`, within the setting of the server for imports; or a public bucket of AWS S3, ' +
          'unless the server is set to refuse it. An import of a bucket that cannot be read ends as Failed.',
      }),
      integrationId: Type.Optional(
        Type.String({ maxLength: INTEGRATION_ID_CHARS_MAX, description: 'Has no effect on this server.' }),
      ),
      errorMode: Type.Optional(
        Type.Object({
          onError: Type.Optional(Type.String({ enum: ['abort', 'continue'], default: 'continue' })),
        }),
      ),
      columns: Type.Optional(ColumnMap),
    },
    {
      title: 'StartImportRequest',
      examples: [{ uri: 's3://my-bucket/films', errorMode: { onError: 'abort' } }],
    },
  ),
  success: {
    status: 200,
    description: 'The import is queued.',
    schema: Type.Object({ id: Type.String({ examples: ['101'] }) }),
  },
  faults: ['invalid-argument', 'wrong-index-kind'],
  handle: async ({ access, index, body, services }) => {
    const { id } = await services.imports.start({ access, index }, requestedImport(body));
    return { status: 200, body: { id } };
  },
};

function requestedImport(json: unknown): RequestedImport {
  const body = bulkBody(json);
  const uri = textField(body, 'uri', IMPORT_URI_CHARS_MAX);
  if (uri === undefined) throw invalid('uri is required');
  textField(body, 'integrationId', INTEGRATION_ID_CHARS_MAX);
  const columns = optionalObject(body, 'columns');
  return {
    uri,
    onError: onErrorOf(optionalObject(body, 'errorMode')),
    ...(columns !== undefined && { columns: columnsOf(columns) }),
  };
}

function onErrorOf(mode: Readonly<Record<string, unknown>> | undefined): OnError {
  return readOnError(mode === undefined ? undefined : optionalString(mode, 'onError'), 'errorMode.onError');
}
