// Derives the question that is searched and answered from a conversation.
import { isUnspaced, questionTerms } from '../terms/analyze.ts';
import { type ChatMessage, questionText } from './chat-provider.ts';

/** A question with fewer telling terms needs the one before it. */
const TERMS_ALONE_MIN = 3;
/** With a word that refers to something said before, a question needs more terms of its own. */
const REFERRING_TERMS_ALONE_MIN = 5;
/** Follow-up questions in a row that are traced to their subject. */
const FOLLOW_UPS_MAX = 3;
/** About a page: more text adds little to the query and costs every model time. */
const QUERY_CHARACTERS_MAX = 4_000;

const CONTINUING = /^(?:and|but|or|so|then|also|what about|how about|why not|what if)\b/i;
const REFERRING =
  /\b(?:he|she|it|they|him|her|his|hers|its|them|their|theirs|this|that|these|those|there|then|former|latter)\b/i;

/** Returns the question, together with those before it that tell its subject ("and in winter?"). */
export function retrievalText(messages: readonly ChatMessage[]): string {
  const asked = askedIn(messages);
  const texts = [lastQuestion(messages)];
  for (let at = asked.length - 2; at >= 0 && texts.length <= FOLLOW_UPS_MAX; at--) {
    if (!isFollowUp(texts[0] ?? '')) break;
    texts.unshift(asked[at] ?? '');
  }
  return cut(texts.join('\n'));
}

/** The question without those before it. */
export function lastQuestion(messages: readonly ChatMessage[]): string {
  return askedIn(messages).at(-1) ?? cut(questionText(messages));
}

function askedIn(messages: readonly ChatMessage[]): readonly string[] {
  return messages.filter(({ role }) => role === 'user').map(({ content }) => cut(content));
}

/** True for a question that does not tell its subject. */
function isFollowUp(question: string): boolean {
  const terms = questionTerms(question).size;
  if (isUnspaced(question)) return terms < TERMS_ALONE_MIN;
  if (terms < TERMS_ALONE_MIN) return true;
  const isReferring = CONTINUING.test(question.trim()) || REFERRING.test(question);
  return isReferring && terms < REFERRING_TERMS_ALONE_MIN;
}

function cut(text: string): string {
  return text.slice(0, QUERY_CHARACTERS_MAX).toWellFormed();
}
