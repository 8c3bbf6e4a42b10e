// Answers that must be JSON objects.
import type { AnswerPart } from '../chat-provider.ts';
import type { HeardAnswer } from './heard-answer.ts';
import { objectIn } from './object-in.ts';

/** Yields the object that the model gave, alone; any other answer becomes one. */
export async function* jsonParts(heard: HeardAnswer): AsyncGenerator<AnswerPart> {
  const text = (await Array.fromAsync(heard.texts())).join('').trim();
  if (heard.refusal !== '') return;
  if (text === '' && heard.callsTools) return;
  yield { type: 'text', text: objectIn(text) ?? JSON.stringify({ answer: text }) };
}
