// POST /assistant/files/{assistant_name}: uploads a new file.
import { isAtLeast } from '../../../../domain/api-version.ts';
import type { UploadEndpoint } from '../assistant-endpoint.ts';
import { AssistantParams } from '../assistants/assistant-wire.ts';
import { acceptedReply, acceptedSuccess } from '../operations/operation-wire.ts';
import { FileObject, fileToWire } from './file-wire.ts';
import { takeUpload, UPLOAD_FAULTS, UPLOAD_QUERY, UploadBody } from './take-upload.ts';

export const uploadFile: UploadEndpoint = {
  kind: 'upload',
  id: 'upload_file',
  method: 'POST',
  path: '/assistant/files/{assistant_name}',
  tag: 'Assistant files',
  summary: 'Upload a file',
  description:
    'Stored when this answers; found by questions when its operation is Completed and the file Available.',
  since: '2025-01',
  permission: 'data_plane::assistant_files::write',
  errors: 'standard',
  params: AssistantParams,
  query: UPLOAD_QUERY,
  body: UploadBody,
  success: acceptedSuccess('The operation that processes the file.'),
  olderSuccess: {
    until: '2025-10',
    success: { status: 200, description: 'The file, which is being processed.', schema: FileObject },
  },
  faults: UPLOAD_FAULTS,
  handle: async (call) => {
    const { file, operation } = await takeUpload(call);
    if (!isAtLeast(call.version, '2026-04')) return { status: 200, body: fileToWire(file) };
    return acceptedReply(call.params.assistant_name ?? '', operation);
  },
};
