// Answers that must be JSON objects.
import type { AnswerPart } from './chat-provider.ts';
import type { HeardAnswer } from './heard-answer.ts';

/** Models sometimes wrap objects in prose or fences; anything but an object becomes one. */
export async function* jsonParts(heard: HeardAnswer): AsyncGenerator<AnswerPart> {
  const text = (await Array.fromAsync(heard.texts())).join('').trim();
  if (text === '' && heard.callsTools) return;
  yield { type: 'text', text: isJsonObject(text) ? text : JSON.stringify({ answer: text }) };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
