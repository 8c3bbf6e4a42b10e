// The conversation of a chat, as requests carry it.
import type { ChatMessage } from '../../../../app/assistants/chat/chat-provider.ts';
import { invalid } from '../../../../domain/faults.ts';
import type { JsonObject } from '../../../../domain/records/vector-record.ts';
import { optionalArray } from '../../records/request-fields.ts';

const ROLES = ['user', 'assistant', 'system'] as const;

/** @throws invalid-argument, also for a conversation of nothing */
export function readMessages(body: JsonObject): readonly ChatMessage[] {
  const messages = optionalArray(body, 'messages') ?? [];
  if (messages.length === 0) throw invalid('messages must have at least 1 message.');
  return messages.map(readMessage);
}

/** A text alone is what a user says; so is a message without a role. */
function readMessage(message: unknown, at: number): ChatMessage {
  const where = `messages[${at}]`;
  if (typeof message === 'string') return { role: 'user', content: readContent(message, where) };
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw invalid(`${where} must be an object with a role and a content.`);
  }
  const { role, content } = message as JsonObject;
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
