// The endpoints of assistants, in the order of the reference.
import type { AssistantEndpoint } from './assistant-endpoint.ts';
import { createAssistant } from './assistants/create-assistant.ts';
import { deleteAssistant } from './assistants/delete-assistant.ts';
import { describeAssistant } from './assistants/describe-assistant.ts';
import { listAssistants } from './assistants/list-assistants.ts';
import { describeAssistantReembedding, reembedAssistant } from './assistants/reembed-assistant.ts';
import { updateAssistant } from './assistants/update-assistant.ts';
import { chatEndpoints } from './chat/index.ts';
import { evaluationEndpoints } from './evaluation/index.ts';
import { deleteFile } from './files/delete-file.ts';
import { describeFile } from './files/describe-file.ts';
import { listFiles } from './files/list-files.ts';
import { readLinkedFile } from './files/read-linked-file.ts';
import { uploadFile } from './files/upload-file.ts';
import { upsertFile } from './files/upsert-file.ts';
import { describeOperation } from './operations/describe-operation.ts';
import { listOperations } from './operations/list-operations.ts';

export const assistantEndpoints: readonly AssistantEndpoint[] = [
  listAssistants,
  createAssistant,
  describeAssistant,
  updateAssistant,
  deleteAssistant,
  reembedAssistant,
  describeAssistantReembedding,
  listFiles,
  uploadFile,
  upsertFile,
  describeFile,
  deleteFile,
  readLinkedFile,
  listOperations,
  describeOperation,
  ...chatEndpoints,
  ...evaluationEndpoints,
];
