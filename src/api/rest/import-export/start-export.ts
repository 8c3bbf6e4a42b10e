// POST /bulk/exports: starts an export of an index, or of one namespace, to files that imports can read.
import { invalid } from '../../../domain/faults.ts';
import type { RequestedExport } from '../../../domain/imports/export-model.ts';
import { IMPORT_URI_CHARS_MAX } from '../../../domain/imports/import-model.ts';
import { RECORD_FORMATS } from '../../../domain/imports/record-format.ts';
import { NAMESPACE_NAME_CHARS_MAX } from '../../../domain/limits.ts';
import { namespaceToStored } from '../../../domain/records/record-id.ts';
import { Type } from '../../schema/type.ts';
import { field, optionalString } from '../records/request-fields.ts';
import { bulkBody, textField } from './bulk-body.ts';
import type { BulkEndpoint } from './bulk-endpoint.ts';
import { FormatName } from './export-wire.ts';

export const startExport: BulkEndpoint = {
  id: 'start_bulk_export',
  method: 'POST',
  path: '/bulk/exports',
  tag: 'Bulk exports',
  summary: 'Start an export',
  description:
    'Writes one consistent state of the records, in the layout that imports read, and a manifest with counts and checksums.',
  since: '2024-10',
  permission: 'data_plane::imports::write',
  errors: 'both',
  bodyOptional: true,
  body: Type.Object(
    {
      uri: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: IMPORT_URI_CHARS_MAX,
          description:
            "A new or empty folder: `s3://BUCKET/FOLDER` or `file:///FOLDER`, within the server's setting for exports. If absent, the server's own storage, from which the files can be downloaded.",
        }),
      ),
      namespace: Type.Optional(
        Type.String({
          maxLength: NAMESPACE_NAME_CHARS_MAX,
          description:
            'One namespace, or the target that this alias has now; "" and "__default__" name the default one. Default all.',
          examples: ['films'],
        }),
      ),
      format: Type.Optional(FormatName),
    },
    { title: 'StartExportRequest', examples: [{ namespace: 'films', format: 'parquet' }] },
  ),
  success: {
    status: 200,
    description: 'The export is queued.',
    schema: Type.Object({ id: Type.String({ examples: ['7f1c9d0e'] }) }),
  },
  faults: ['invalid-argument', 'wrong-index-kind'],
  handle: async (call) => {
    const { id } = await call.services.exports.start(call, requestedExport(call.body));
    return { status: 200, body: { id } };
  },
};

function requestedExport(json: unknown): RequestedExport {
  const body = json === undefined ? {} : bulkBody(json);
  const namespace = field(body, 'namespace');
  const requested = optionalString(body, 'format');
  const format = requested === undefined ? null : RECORD_FORMATS.find((name) => name === requested);
  if (format === undefined) throw invalid(`format must be one of ${RECORD_FORMATS.join(', ')}`);
  return {
    uri: textField(body, 'uri', IMPORT_URI_CHARS_MAX) ?? null,
    namespace: namespace === undefined ? null : namespaceToStored(namespace),
    format,
  };
}
