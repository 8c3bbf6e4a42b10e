// Messages of a chat as language models take them.
import type { ContentPart, ModelMessage } from '../../../domain/inference/language-model.ts';
import type { ChatMessage } from './chat-provider.ts';

export function modelMessage({ role, content, images, toolCalls, toolCallId }: ChatMessage): ModelMessage {
  const calls = {
    ...(toolCalls !== undefined && { toolCalls }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
  if (images === undefined || images.length === 0) return { role, content, ...calls };
  const pictures = images.map((url): ContentPart => ({ type: 'image_url', image_url: { url } }));
  const text: readonly ContentPart[] = content === '' ? [] : [{ type: 'text', text: content }];
  return { role, content: [...text, ...pictures], ...calls };
}
