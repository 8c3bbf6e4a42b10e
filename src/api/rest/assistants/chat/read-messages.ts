// Reads the conversation of a chat request: of plain texts, or of the parts and roles that the OpenAI form has.

import type { ChatMessage } from '../../../../app/assistants/chat/chat-provider.ts';
import { invalid } from '../../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../domain/json.ts';
import { optionalArray } from '../../records/request-fields.ts';

const ROLES = ['user', 'assistant', 'system'] as const;
/** `developer` is the newer name of `system`. */
export const OPENAI_ROLES = [...ROLES, 'developer', 'tool'] as const;
type OpenAiRole = (typeof OPENAI_ROLES)[number];
/** Only such addresses are passed on. */
const PICTURE_ADDRESS = /^(?:https:\/\/|data:image\/)/i;

/** @throws invalid-argument, also for an empty conversation */
export function readMessages(body: JsonObject): readonly ChatMessage[] {
  return messagesOf(body).map((message, at) => {
    const where = `messages[${at}]`;
    const { role, content } = messageObject(message, where);
    return { role: readRole(role, ROLES, where), content: requiredText(content, where) };
  });
}

/** Reads the OpenAI form. @throws invalid-argument as `readMessages` */
export function readOpenAiMessages(body: JsonObject): readonly ChatMessage[] {
  const messages = messagesOf(body).flatMap((message, at): ChatMessage | readonly [] => {
    const where = `messages[${at}]`;
    const { role: name, content, ...fields } = messageObject(message, where);
    const role = readRole(name, OPENAI_ROLES, where);
    if (role === 'tool') return toolMessage(fields, content, where);
    const toolCalls = role === 'assistant' ? toolCallsOf(fields, where) : {};
    const said = role === 'assistant' ? saidBy(content, fields) : content;
    // A model whose answer was cut before its first word has said nothing, and clients send that back.
    if (role !== 'user' && said === '' && toolCalls.toolCalls === undefined) return [];
    return { role: role === 'developer' ? 'system' : role, ...readContent(said, role, where, toolCalls) };
  });
  return someOf(messages);
}

function messagesOf(body: JsonObject): readonly unknown[] {
  return someOf(optionalArray(body, 'messages') ?? []);
}

function someOf<Message>(messages: readonly Message[]): readonly Message[] {
  if (messages.length === 0) throw invalid('Must have at least 1 message: messages is empty or missing.');
  return messages;
}

/** A plain text or a message without a role is a user message. */
function messageObject(message: unknown, where: string): JsonObject {
  if (typeof message === 'string') return { content: message };
  if (isJsonObject(message)) return message;
  throw invalid(`${where} must be an object with a role and a content.`);
}

function readRole<Role extends OpenAiRole>(role: unknown, roles: readonly Role[], where: string): Role {
  const name = role ?? 'user';
  const found = roles.find((each) => typeof name === 'string' && each === name.toLowerCase());
  if (found === undefined) throw invalid(`${where}.role must be one of ${roles.join(', ')}.`);
  return found;
}

function requiredText(content: unknown, where: string): string {
  if (typeof content === 'string' && content.trim() !== '') return content;
  throw invalid(`${where}.content must be text, and not empty.`);
}

/** A model that refuses says so in a member of its own, beside an empty content. */
function saidBy(content: unknown, { refusal }: JsonObject): unknown {
  return isEmpty(content) && typeof refusal === 'string' ? refusal : content;
}

function isEmpty(content: unknown): boolean {
  return content === null || content === undefined || content === '';
}

type Content = Pick<ChatMessage, 'content' | 'images' | 'toolCalls'>;

function readContent(
  content: unknown,
  role: OpenAiRole,
  where: string,
  toolCalls: Pick<ChatMessage, 'toolCalls'>,
): Content {
  if (isEmpty(content) && toolCalls.toolCalls !== undefined) return { content: '', ...toolCalls };
  if (!Array.isArray(content)) return { content: requiredText(content, where), ...toolCalls };
  const parts = content.map((part: unknown, at) => readPart(part, role, `${where}.content[${at}]`));
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  const images = parts.flatMap((part) => ('image' in part ? [part.image] : []));
  if (images.length === 0) return { content: requiredText(text, where), ...toolCalls };
  return { content: text, images, ...toolCalls };
}

type Part = { readonly text: string } | { readonly image: string };

function readPart(part: unknown, role: OpenAiRole, where: string): Part {
  const { type, text, refusal, image_url: picture } = isJsonObject(part) ? part : {};
  if (type === 'text' && typeof text === 'string') return { text };
  if (type === 'refusal' && typeof refusal === 'string') return { text: refusal };
  if (type === 'image_url' && role === 'user') {
    const url = isJsonObject(picture) ? picture.url : undefined;
    if (typeof url === 'string' && PICTURE_ADDRESS.test(url)) return { image: url };
    throw invalid(`${where}.image_url.url must be a data: address of a picture, or begin with https://.`);
  }
  throw invalid(
    `${where} must be a part of type text with a text, or of type image_url in a message of a user.`,
  );
}

/** Calls are passed on as they are. */
function toolCallsOf(message: JsonObject, where: string): Pick<ChatMessage, 'toolCalls'> {
  const calls = optionalArray(message, 'tool_calls') ?? [];
  if (calls.length === 0) return {};
  const toolCalls = calls.map((call, at) => {
    if (isJsonObject(call) && typeof call.id === 'string' && isJsonObject(call.function)) return call;
    throw invalid(`${where}.tool_calls[${at}] must be an object with an id and a function.`);
  });
  return { toolCalls };
}

/** The result of a tool may be empty. */
function toolMessage(message: JsonObject, content: unknown, where: string): ChatMessage {
  const { tool_call_id: toolCallId } = message;
  if (typeof toolCallId !== 'string' || toolCallId === '') {
    throw invalid(`${where}.tool_call_id must be the id of the call that the message answers.`);
  }
  if (typeof content === 'string') return { role: 'tool', content, toolCallId };
  const { content: text } = readContent(content, 'tool', where, {});
  return { role: 'tool', content: text, toolCallId };
}
