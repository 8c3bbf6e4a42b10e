// Files of assistants in responses.
import type { AssistantFile } from '../../../../domain/assistants/file.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';

export const FileParams = Type.Object({ assistant_name: Type.String(), assistant_file_id: Type.String() });

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const FileObject = Type.Object({
  name: Type.String(),
  id: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  metadata: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
  created_on: Type.String({ format: 'date-time' }),
  updated_on: Type.String({ format: 'date-time' }),
  status: choice(['Processing', 'Available', 'Deleting', 'ProcessingFailed']),
  signed_url: Type.Union([Type.String(), Type.Null()], {
    description: 'Reads the file for an hour, without a key. Null unless asked for.',
  }),
  multimodal: Type.Boolean(),
  percent_done: Type.Number({ minimum: 0, maximum: 1 }),
  error_message: TextOrNull,
});

export function fileToWire(file: AssistantFile, signedUrl: string | null = null) {
  const { name, id, size, metadata, state, multimodal } = file;
  return {
    name,
    id,
    size,
    metadata,
    created_on: file.createdAt,
    updated_on: file.updatedAt,
    status: state,
    signed_url: signedUrl,
    multimodal,
    percent_done: file.percent / 100,
    error_message: file.error,
  };
}
