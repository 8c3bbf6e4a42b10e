// What a conversation asks the files.
import { contentWords } from '../content-words.ts';
import { type ChatMessage, questionText } from './chat-provider.ts';

/** A question of fewer telling words leans on the one before it. */
const WORDS_ALONE_MIN = 3;
/** About a page: what follows says little more of what is looked for, and costs every model time. */
const RETRIEVAL_CHARACTERS_MAX = 4_000;

/** The question, with the one before it where it says too little alone ("and in winter?"). */
export function retrievalText(messages: readonly ChatMessage[]): string {
  const asked = cut(questionText(messages));
  if (contentWords(asked).size >= WORDS_ALONE_MIN) return asked;
  const before = messages.filter(({ role }) => role === 'user').at(-2)?.content;
  return before === undefined ? asked : cut(`${cut(before)}\n${asked}`);
}

function cut(text: string): string {
  return text.slice(0, RETRIEVAL_CHARACTERS_MAX).toWellFormed();
}
