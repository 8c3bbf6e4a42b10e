// Derives the retrieval query from a conversation.
import { contentWords } from '../content-words.ts';
import { type ChatMessage, questionText } from './chat-provider.ts';

/** A question with fewer content words needs the one before it. */
const WORDS_ALONE_MIN = 3;
/** About a page: more text adds little to the query and costs every model time. */
const RETRIEVAL_CHARACTERS_MAX = 4_000;

/** Returns the question, together with the previous one if it is too short ("and in winter?"). */
export function retrievalText(messages: readonly ChatMessage[]): string {
  const question = cut(questionText(messages));
  if (contentWords(question).size >= WORDS_ALONE_MIN) return question;
  const before = messages.filter(({ role }) => role === 'user').at(-2)?.content;
  return before === undefined ? question : cut(`${cut(before)}\n${question}`);
}

function cut(text: string): string {
  return text.slice(0, RETRIEVAL_CHARACTERS_MAX).toWellFormed();
}
