// The common part of uploads to new and existing files: one form, read as a stream.

import { SUPPORTED } from '../../../../app/assistants/files/file-service.ts';
import { ASSISTANT_METADATA_BYTES_MAX } from '../../../../domain/assistants/limits.ts';
import type { UploadedFile } from '../../../../domain/assistants/services.ts';
import type { FaultName } from '../../../../domain/faults.ts';
import { Type } from '../../../schema/type.ts';
import { queryBoolean, queryString } from '../../records/request-fields.ts';
import type { UploadCall } from '../assistant-endpoint.ts';
import { mergeMetadata, readMetadata } from './read-metadata.ts';

export const UPLOAD_QUERY = Type.Object({
  multimodal: Type.Optional(
    Type.Boolean({ default: false, description: 'Pictures of a PDF are to be understood, too.' }),
  ),
  metadata: Type.Optional(
    Type.String({
      description: 'JSON text; the part `metadata` of the form means the same.',
      examples: ['{"year":2026}'],
    }),
  ),
});

/** The schema of the form, for the OpenAPI document. */
export const UploadBody = Type.Object({
  file: Type.String({
    format: 'binary',
    description: `With a file name, whose extension tells the type: ${SUPPORTED}.`,
  }),
  metadata: Type.Optional(
    Type.String({
      description: `Text of a flat JSON object, at most ${ASSISTANT_METADATA_BYTES_MAX} bytes.`,
      examples: ['{"year":2026}'],
    }),
  ),
});

export const UPLOAD_FAULTS: readonly FaultName[] = [
  'assistant-models-changed',
  'storage-full',
  'invalid-argument',
  'bad-metadata-value',
  'assistant-not-found',
  'file-deleting',
  'unsupported-form-type',
  'unsupported-encoding',
];

/**
 * The file is stored when it resolves.
 * @param fileId the file to replace or create; absent for a new one
 * @throws the conditions of UPLOAD_FAULTS
 */
export async function takeUpload(call: UploadCall, fileId?: string): Promise<UploadedFile> {
  const { access, params, query, services, signal } = call;
  const multimodal = queryBoolean(query, 'multimodal');
  const inQuery = readMetadata(queryString(query, 'metadata'));
  const assistant = await services.assistants.ready(access, params.assistant_name ?? '', signal);
  const { fileName, content, metadata } = await call.openForm();
  return services.files.upload(assistant, {
    name: fileName,
    content,
    metadata: () => mergeMetadata(inQuery, readMetadata(metadata())),
    multimodal,
    fileId,
    signal,
  });
}
