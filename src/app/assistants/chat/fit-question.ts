// Fits a question into the context of a language model: drops the oldest messages and the least snippets.
import { invalid } from '../../../domain/faults.ts';
import type { TokenCounter } from '../token-counter.ts';
import type { ChatMessage, ChatQuestion, SourcedChunk } from './chat-provider.ts';

/** Other models count up to a tenth more tokens than ours. */
const COUNTED_SHARE = 0.9;
/** Kept free for the answer, unless the caller bounds it. */
const ANSWER_TOKENS = 1_024;
const ANSWER_SHARE_MAX = 0.25;
/** Rules, fences and roles. */
const RULES_TOKENS = 250;
const SNIPPET_TOKENS = 40;
const MESSAGE_TOKENS = 8;
/** As models count a picture of a page. */
const PICTURE_TOKENS = 1_000;
/** Snippets are what answers come from, so a long history gets no more of the rest. */
const HISTORY_SHARE = 0.5;
/** Longer runs without blanks are of a script that has none, or no words. */
const WORD_CHARACTERS_MAX = 64;
/** At the end of a text that was cut. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/**
 * Keeps instructions, system messages and the question. Of what is left, the history gets at most a half, the newest
 * messages first, and the snippets the rest, the best first.
 * @param contextTokens of prompt and answer together
 * @throws invalid-argument when the question alone is too long
 */
export async function fittedQuestion(
  question: ChatQuestion,
  contextTokens: number,
  countTokens: TokenCounter,
): Promise<ChatQuestion> {
  const { messages, chunks, instructions, options = {} } = question;
  const answer = options.maxTokens ?? Math.min(ANSWER_TOKENS, contextTokens * ANSWER_SHARE_MAX);
  const room = contextTokens * COUNTED_SHARE - Math.min(answer, contextTokens / 2) - RULES_TOKENS;
  const tools = JSON.stringify(options.tools ?? []) + JSON.stringify(options.jsonSchema ?? {});
  const sizes = await Promise.all(messages.map((message) => messageTokens(message, countTokens)));
  const isKept = keptAlways(messages);
  const always = sizes.reduce((sum, size, at) => sum + (isKept(at) ? size : 0), 0);
  const left = room - always - (await countTokens(instructions ?? '')) - (await countTokens(tools));
  if (left < 0) {
    throw invalid(
      `The question and the instructions must fit the ${contextTokens} tokens that the model reads; they have ${Math.ceil(room - left)}, and ${Math.floor(room)} are free for them.`,
    );
  }
  const history = sizes.reduce((sum, size, at) => sum + (isKept(at) ? 0 : size), 0);
  const fitted = await fittedChunks(chunks, left - Math.min(history, left * HISTORY_SHARE), countTokens);
  const used = fitted.reduce((sum, chunk) => sum + chunkTokens(chunk), 0);
  const from = oldestKept({ messages, sizes, isKept }, left - used);
  const kept = messages.filter((_, at) => at >= from || isKept(at));
  const historyTokens = sizes.reduce((sum, size, at) => sum + (at >= from || isKept(at) ? size : 0), 0);
  return kept.length === messages.length && fitted.length === chunks.length
    ? { ...question, chunks: fitted }
    : { ...question, messages: kept, historyTokens, chunks: fitted };
}

async function messageTokens(
  { content, images = [], toolCalls = [] }: ChatMessage,
  countTokens: TokenCounter,
): Promise<number> {
  const calls = toolCalls.length === 0 ? 0 : await countTokens(JSON.stringify(toolCalls));
  return MESSAGE_TOKENS + calls + images.length * PICTURE_TOKENS + (await countTokens(content));
}

/** System messages, and the question with all that follows it: calls of tools and their results. */
function keptAlways(messages: readonly ChatMessage[]): (at: number) => boolean {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const question = last < 0 ? messages.length - 1 : last;
  return (at) => at >= question || messages[at]?.role === 'system';
}

interface SizedMessages {
  readonly messages: readonly ChatMessage[];
  readonly sizes: readonly number[];
  readonly isKept: (at: number) => boolean;
}

/** Returns where the kept history begins: at a user, since answers and results mean nothing without what they follow. */
function oldestKept({ messages, sizes, isKept }: SizedMessages, tokensMax: number): number {
  let from = messages.length;
  let tokens = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    if (isKept(at)) continue;
    tokens += sizes[at] ?? 0;
    if (tokens > tokensMax) break;
    if (messages[at]?.role === 'user') from = at;
  }
  // A conversation that begins with an answer stays whole where all of it fits.
  return tokens <= tokensMax ? 0 : from;
}

async function fittedChunks(
  chunks: readonly SourcedChunk[],
  tokensMax: number,
  countTokens: TokenCounter,
): Promise<readonly SourcedChunk[]> {
  const fitted: SourcedChunk[] = [];
  let left = tokensMax;
  for (const chunk of chunks) {
    const forms = [chunk, { ...chunk, images: [] }];
    const form = forms.find((each) => chunkTokens(each) <= left);
    if (form === undefined) {
      // The best snippet is worth more cut than not at all; a lesser one that fits is no better than those before it.
      if (fitted.length === 0) fitted.push(...(await cutChunk(chunk, left, countTokens)));
      break;
    }
    fitted.push(form);
    left -= chunkTokens(form);
  }
  return fitted;
}

function chunkTokens({ tokens, images }: SourcedChunk): number {
  return SNIPPET_TOKENS + tokens + images.length * PICTURE_TOKENS;
}

async function cutChunk(
  chunk: SourcedChunk,
  tokensMax: number,
  countTokens: TokenCounter,
): Promise<readonly SourcedChunk[]> {
  const tokens = Math.floor(tokensMax - SNIPPET_TOKENS);
  if (tokens <= 0) return [];
  let text = chunk.text.slice(0, Math.floor((chunk.text.length * tokens) / Math.max(chunk.tokens, 1)));
  while (text !== '' && (await countTokens(text)) > tokens) {
    text = text.slice(0, Math.floor(text.length * COUNTED_SHARE));
  }
  const words = wholeWords(text);
  return words === '' ? [] : [{ ...chunk, text: words, tokens, images: [] }];
}

/** Returns a text that was cut without the word at the cut. Scripts without blanks have none. */
function wholeWords(text: string): string {
  const end = text.slice(-WORD_CHARACTERS_MAX);
  const at = end.search(/\s\S*$/);
  const whole = at < 0 ? text.replace(HALF_CHARACTER, '') : text.slice(0, text.length - end.length + at);
  return whole.trimEnd();
}
