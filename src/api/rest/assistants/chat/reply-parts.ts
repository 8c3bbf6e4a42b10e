// The common part of whole and streamed replies, and their differences by version.

import type { ChatAnswer } from '../../../../app/assistants/chat/chat-service.ts';
import { isAtLeast, type RequestedVersion } from '../../../../domain/api-version.ts';
import type { FinishReason } from '../../../../domain/inference/language-model.ts';
import { fileToWire } from '../files/file-wire.ts';
import type { ReplyHead, ShownFinishReason } from './shapes/chat.ts';
import type { FileShape } from './shapes/citations.ts';

const NEW_SHAPES_SINCE = '2026-04';

export function headOf({ id, model, snippetCount }: ChatAnswer, version: RequestedVersion): ReplyHead {
  const count = isAtLeast(version, NEW_SHAPES_SINCE) ? { contextSnippetCount: snippetCount } : {};
  return { id, model, ...count };
}

export function reasonShownTo(version: RequestedVersion): (reason: FinishReason) => ShownFinishReason {
  const calls = isAtLeast(version, NEW_SHAPES_SINCE) ? 'tool_calls' : 'function_call';
  return (reason) => (reason === 'tool_calls' ? calls : reason);
}

/** Returns cited files as the API shows them. */
export function shownFiles({ fileOf }: ChatAnswer): (fileId: string) => FileShape | undefined {
  return (fileId) => {
    const file = fileOf(fileId);
    return file === undefined ? undefined : fileToWire(file);
  };
}
