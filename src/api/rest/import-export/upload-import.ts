// POST /bulk/imports/upload: imports a file that is the body of the request. An endpoint of this server.
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import {
  COLUMN_NAME_CHARS_MAX,
  IMPORT_COLUMNS_MAX,
  type ImportColumns,
} from '../../../domain/imports/import-columns.ts';
import { type RequestedUpload, UPLOAD_BYTES_MAX, UPLOADS_MAX } from '../../../domain/imports/import-model.ts';
import { namespaceToStored } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { queryString } from '../records/request-fields.ts';
import { NamespaceName } from '../records/schemas.ts';
import { readOnError } from './bulk-body.ts';
import type { BulkCall, BulkEndpoint } from './bulk-endpoint.ts';
import { columnsOf } from './column-map.ts';

export const uploadImport: BulkEndpoint = {
  id: 'upload_bulk_import',
  method: 'POST',
  path: '/bulk/imports/upload',
  tag: 'Bulk imports',
  summary: 'Import a file',
  description:
    'An endpoint of this server. The body is a Parquet or JSONL file, the latter also compressed with gzip; its first bytes tell which. ' +
    'The import is one like others; `uri` is then `upload:NAMESPACE`. The file is removed when it ends. ' +
    `An index has at most ${UPLOADS_MAX} uploads at a time; more are answered 429.`,
  since: '2024-10',
  permission: 'data_plane::imports::write',
  errors: 'both',
  fileBytesMax: UPLOAD_BYTES_MAX,
  query: Type.Object({
    namespace: Type.Optional(NamespaceName),
    onError: Type.Optional(Type.String({ enum: ['abort', 'continue'], default: 'continue' })),
    columns: Type.Optional(
      Type.String({
        description:
          'Fields of records that are called otherwise in the file, as in `POST /bulk/imports`, in the form `FIELD=COLUMN,FIELD=COLUMN`.',
        examples: ['id=key,values=vector'],
      }),
    ),
  }),
  body: Type.String({ format: 'binary', description: `At most ${UPLOAD_BYTES_MAX / 1024 ** 3} GiB.` }),
  bodyTypes: ['application/octet-stream', 'application/x-ndjson', 'application/vnd.apache.parquet'],
  success: {
    status: 200,
    description: 'The file is stored and its import is queued.',
    schema: Type.Object({ id: Type.String({ examples: ['101'] }) }),
  },
  faults: [
    'invalid-argument',
    'wrong-index-kind',
    'name-in-use-by-alias',
    'quota-exceeded',
    'unsupported-media-type',
    'storage-full',
  ],
  handle: async (call) => {
    const { id } = await call.services.imports.upload(call, requestedUpload(call));
    return { status: 200, body: { id } };
  },
};

function requestedUpload({ query, content }: BulkCall): RequestedUpload {
  const columns = queryString(query, 'columns');
  return {
    namespace: namespaceToStored(queryString(query, 'namespace')),
    onError: readOnError(queryString(query, 'onError'), 'onError'),
    ...(columns !== undefined && { columns: columnPairs(columns) }),
    content,
  };
}

/** @throws invalid-argument */
function columnPairs(text: string): ImportColumns {
  const columns = new Map<string, string>();
  // One more than allowed, which is then refused: a URL has room for many.
  for (const pair of text === '' ? [] : text.split(',', IMPORT_COLUMNS_MAX + 1)) {
    const [field = '', column = '', ...others] = pair.split('=');
    if (field === '' || column === '' || others.length > 0)
      throw invalid(
        `columns must be FIELD=COLUMN,FIELD=COLUMN, got '${pair.slice(0, COLUMN_NAME_CHARS_MAX)}'`,
      );
    if (columns.has(field)) throw invalid(`columns names the field '${fieldText(field)}' twice`);
    columns.set(field, column);
  }
  return columnsOf(Object.fromEntries(columns));
}
