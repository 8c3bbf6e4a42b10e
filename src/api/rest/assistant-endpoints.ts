// The endpoints of assistants, in the order of the reference.
import type { AssistantEndpoint } from './assistants/assistant-endpoint.ts';
import { createAssistant } from './assistants/assistants/create-assistant.ts';
import { deleteAssistant } from './assistants/assistants/delete-assistant.ts';
import { describeAssistant } from './assistants/assistants/describe-assistant.ts';
import { listAssistants } from './assistants/assistants/list-assistants.ts';
import { describeAssistantReembedding, reembedAssistant } from './assistants/assistants/reembed-assistant.ts';
import { updateAssistant } from './assistants/assistants/update-assistant.ts';
import { chatEndpoints } from './assistants/chat/index.ts';
import { evaluationEndpoints } from './assistants/evaluation/index.ts';
import { deleteFile } from './assistants/files/delete-file.ts';
import { describeFile } from './assistants/files/describe-file.ts';
import { findPassage } from './assistants/files/find-passage.ts';
import { listFiles } from './assistants/files/list-files.ts';
import { readLinkedFile } from './assistants/files/read-linked-file.ts';
import { uploadFile } from './assistants/files/upload-file.ts';
import { upsertFile } from './assistants/files/upsert-file.ts';
import { describeOperation } from './assistants/operations/describe-operation.ts';
import { listOperations } from './assistants/operations/list-operations.ts';

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
  findPassage,
  deleteFile,
  readLinkedFile,
  listOperations,
  describeOperation,
  ...chatEndpoints,
  ...evaluationEndpoints,
];
