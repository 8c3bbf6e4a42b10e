// PUT /assistant/files/{assistant_name}/{assistant_file_id}: uploads a file under an id that the caller chose.
import type { UploadEndpoint } from '../assistant-endpoint.ts';
import { acceptedReply, acceptedSuccess } from '../operations/operation-wire.ts';
import { FileParams } from './file-wire.ts';
import { takeUpload, UPLOAD_FAULTS, UPLOAD_QUERY, UploadBody } from './take-upload.ts';

export const upsertFile: UploadEndpoint = {
  kind: 'upload',
  id: 'upsert_file',
  method: 'PUT',
  path: '/assistant/files/{assistant_name}/{assistant_file_id}',
  tag: 'Assistant files',
  summary: 'Upload or replace a file',
  description:
    'What the file held before is found until the operation is Completed, and what it holds now from then on. Metadata is replaced as well: a form without any clears it.',
  since: '2026-04',
  permission: 'data_plane::assistant_files::write',
  errors: 'standard',
  params: FileParams,
  query: UPLOAD_QUERY,
  body: UploadBody,
  success: acceptedSuccess('The operation that processes the file.'),
  faults: UPLOAD_FAULTS,
  handle: async (call) => {
    const { operation } = await takeUpload(call, call.params.assistant_file_id ?? '');
    return acceptedReply(call.params.assistant_name ?? '', operation);
  },
};
