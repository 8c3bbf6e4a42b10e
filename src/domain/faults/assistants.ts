// Conditions of assistants, their files and their chats.
import { entry, type FaultEntry } from './entry.ts';

export const ASSISTANT_FAULTS = {
  'assistant-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no assistant of this name, or it is not ready.',
    'Assistant "{name}" not found.',
  ),
  'assistant-file-not-found': entry(
    404,
    'NOT_FOUND',
    'The assistant has no file of this id.',
    'File with id {id} not found in provided assistant',
  ),
  'assistant-file-damaged': entry(
    503,
    'UNAVAILABLE',
    'The stored bytes of a file are not those that were uploaded. Its chunks are not affected.',
    'The stored bytes of file {id} are damaged. Upload it again.',
  ),
  'operation-not-found': entry(
    404,
    'NOT_FOUND',
    'The assistant has no operation of this id.',
    'Operation {id} not found.',
  ),
  'link-invalid': entry(
    403,
    'FORBIDDEN',
    'The signed link of a file was altered, or is older than an hour.',
    'This link is not valid, or has expired.',
  ),
  'file-deleting': entry(
    409,
    'ABORTED',
    'A file is uploaded with the id of a file that is still being deleted.',
    'File {id} is being deleted. Upload it again once the deletion is complete.',
  ),
  'assistant-reembedding-not-found': entry(
    404,
    'NOT_FOUND',
    'A re-embedding of the assistant was never requested.',
    'No re-embedding of assistant "{name}" found.',
  ),
  'assistant-models-changed': entry(
    412,
    'FAILED_PRECONDITION',
    "The assistant's files were embedded by a different model or revision than the current one.",
    'The files of assistant "{name}" were embedded by {stored}, and model {model} is now served by {current}. Run: pinyon reembed --assistant {name} - or restore the provider.',
  ),
  'invalid-chat-model': entry(
    400,
    'INVALID_ARGUMENT',
    'A chat requests a model that is not offered.',
    "Invalid model '{model}'. Supported models: {supported}.",
  ),
  'openai-model-not-found': entry(
    404,
    'NOT_FOUND',
    'A request in the OpenAI form names a model that the server does not have.',
    "The model '{model}' does not exist. GET /v1/models lists the models of this server.",
  ),
  'chat-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The provider of a chat model is down, too slow, or sends invalid responses.',
    'Model {model} cannot answer now: {reason}. Retry later.',
  ),
} as const satisfies Record<string, FaultEntry>;
