// Files of assistants in responses.
import type { AssistantFile } from '../../../../domain/assistants/file.ts';
import { Type } from '../../../schema/type.ts';
import { choice } from '../../indexes/body-parts.ts';
import { AssistantName } from '../assistants/assistant-wire.ts';

const FILE = {
  name: 'handbook.pdf',
  id: '6d7e8f90-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
  size: 48_120,
  metadata: { year: 2026 },
  created_on: '2026-07-01T09:30:00.000Z',
  updated_on: '2026-07-01T09:30:04.000Z',
  status: 'Available',
  signed_url: null,
  multimodal: false,
  percent_done: 1,
  error_message: null,
};

export const FileParams = Type.Object({
  assistant_name: AssistantName,
  assistant_file_id: Type.String({ description: 'Id of the file.', examples: [FILE.id] }),
});

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const FileObject = Type.Object(
  {
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
  },
  { title: 'AssistantFile', examples: [FILE] },
);

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
