// Conditions of assistants, their files and their chats.
import { entry, type FaultEntry } from './entry.ts';

export const ASSISTANT_FAULTS = {
  'assistant-not-found': entry(
    404,
    'NOT_FOUND',
    'The project has no assistant of this name, or not a ready one.',
    'Assistant "{name}" not found.',
  ),
  'assistant-file-not-found': entry(
    404,
    'NOT_FOUND',
    'The assistant has no file of this id.',
    'File with id {id} not found in provided assistant',
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
    'A file is uploaded under the id of one that is being deleted.',
    'File {id} is being deleted. Upload it when it is gone.',
  ),
  'assistant-reembedding-not-found': entry(
    404,
    'NOT_FOUND',
    'The files of the assistant were never asked to be embedded anew.',
    'No re-embedding of assistant "{name}" found.',
  ),
  'assistant-models-changed': entry(
    412,
    'FAILED_PRECONDITION',
    "The assistant's files were embedded by another model or revision than the one that would answer now.",
    'The files of assistant "{name}" were embedded by {stored}, and model {model} is now served by {current}. Run: pinyon reembed --assistant {name} - or set the provider back.',
  ),
  'invalid-chat-model': entry(
    400,
    'INVALID_ARGUMENT',
    'A chat asks for a model that is not offered.',
    "Invalid model '{model}'. Supported models: {supported}.",
  ),
  'chat-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The provider of a chat model is down, too slow, or answers nonsense.',
    'Model {model} cannot answer now: {reason}. Retry later.',
  ),
} as const satisfies Record<string, FaultEntry>;
