// Reads the conversation of a chat request.

import type { ChatMessage } from '../../../../app/assistants/chat/chat-provider.ts';
import { invalid } from '../../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../domain/json.ts';
import { optionalArray } from '../../records/request-fields.ts';

const ROLES = ['user', 'assistant', 'system'] as const;

/** @throws invalid-argument, also for an empty conversation */
export function readMessages(body: JsonObject): readonly ChatMessage[] {
  const messages = optionalArray(body, 'messages') ?? [];
  if (messages.length === 0) throw invalid('Must have at least 1 message: messages is empty or missing.');
  return messages.map(readMessage);
}

/** A plain text or a message without a role is a user message. */
function readMessage(message: unknown, at: number): ChatMessage {
  const where = `messages[${at}]`;
  if (typeof message === 'string') return { role: 'user', content: readContent(message, where) };
  if (!isJsonObject(message)) {
    throw invalid(`${where} must be an object with a role and a content.`);
  }
  const { role, content } = message;
  return { role: readRole(role ?? 'user', where), content: readContent(content, where) };
}

function readRole(role: unknown, where: string): ChatMessage['role'] {
  const found = ROLES.find((each) => typeof role === 'string' && each === role.toLowerCase());
  if (found === undefined) throw invalid(`${where}.role must be one of ${ROLES.join(', ')}.`);
  return found;
}

function readContent(content: unknown, where: string): string {
  if (typeof content === 'string' && content.trim() !== '') return content;
  throw invalid(`${where}.content must be text, and not empty.`);
}
