// Embedding models at HTTP providers: the OpenAI API, which most servers implement, and the TEI API.

import type { EmbedModel } from '../../../domain/inference/model.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import type { EmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { membersOf } from '../../../domain/json.ts';
import { fitText } from '../../fit-texts.ts';
import type { EmbedAnswer, EmbedBatch } from '../../ports.ts';
import { readablePart } from '../../readable-part.ts';
import type { HttpSetting } from '../../settings/provider-settings.ts';
import { shapeVector } from '../../shape-vector.ts';
import { answerAsAccepted } from './answer-as-accepted.ts';
import { byIndex, invalidResponse, listIn, objectIn, readSparseVector, readVector } from './read-answers.ts';
import { teiTruncation } from './tei-truncation.ts';

export interface Exchange {
  /** Relative to the configured address. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request and resolves to the parsed response. */
export type Send = (exchange: Exchange, signal: AbortSignal) => Promise<unknown>;

export interface HttpEmbedderParts {
  readonly model: EmbedModel;
  readonly setting: HttpSetting;
  readonly send: Send;
}

/** @throws TooLong, ProviderError, or the signal's reason */
export async function embedOverHttp(
  parts: HttpEmbedderParts,
  { texts, parameters }: EmbedBatch,
  signal: AbortSignal,
): Promise<EmbedAnswer> {
  // Only the provider has the real tokenizer. Words are counted here, so that no text is truncated silently.
  const fitted = texts.map((text, position) => fitText(readablePart(text, parameters), position, parameters));
  // Somebody waits for a query, who need not be told which of one text it is.
  const options = { limits: parameters, namesOne: parameters.inputType === 'passage' };
  const answers = await answerAsAccepted(fitted, options, async (accepted) => {
    const inputs = accepted.map(({ text }) => parts.setting.prefixes[parameters.inputType] + text);
    const tokens = accepted.map((each) => each.tokens);
    const answer = await embedTexts({ ...parts, inputs, tokens, parameters, signal });
    return answer.embeddings.map((embedding, at) => ({ embedding, tokens: answer.tokens[at] ?? 1 }));
  });
  return {
    embeddings: answers.map(({ embedding }) => embedding),
    tokens: answers.map(({ tokens }) => tokens),
  };
}

interface EmbedExchange extends HttpEmbedderParts {
  readonly inputs: readonly string[];
  /** Counted here, in words. */
  readonly tokens: readonly number[];
  readonly parameters: EmbedParameters;
  readonly signal: AbortSignal;
}

function embedTexts(exchange: EmbedExchange): Promise<EmbedAnswer> {
  if (exchange.model.vectorType === 'sparse') return embedSparseTei(exchange);
  return exchange.setting.provider === 'tei' ? embedTei(exchange) : embedOpenAi(exchange);
}

async function embedOpenAi(exchange: EmbedExchange): Promise<EmbedAnswer> {
  const { model, setting, inputs, parameters, tokens, signal } = exchange;
  const isResizable = model.vectorType === 'dense' && model.dimensions.length > 1;
  const body = {
    model: setting.model,
    input: inputs,
    encoding_format: setting.encoding,
    ...(isResizable && setting.resize === 'server' ? { dimensions: parameters.dimension } : {}),
    ...(setting.inputTypeField === null ? {} : { [setting.inputTypeField]: parameters.inputType }),
  };
  const answer = objectIn(await exchange.send({ path: '/embeddings', body }, signal), 'the answer');
  const data = byIndex(listIn(answer.data, 'data'), inputs.length);
  const embeddings = data.map(({ embedding }) => denseEmbedding(embedding, exchange));
  return { embeddings, tokens: shareOut(answer.usage, tokens) };
}

async function embedTei(exchange: EmbedExchange): Promise<EmbedAnswer> {
  const { setting, inputs, tokens, parameters } = exchange;
  const body = { inputs, ...teiTruncation(parameters.truncate), normalize: setting.normalize };
  const answer = await teiAnswer(exchange, { path: '/embed', body });
  return { embeddings: answer.map((vector) => denseEmbedding(vector, exchange)), tokens };
}

async function embedSparseTei(exchange: EmbedExchange): Promise<EmbedAnswer> {
  const { inputs, tokens, parameters } = exchange;
  const body = { inputs, ...teiTruncation(parameters.truncate) };
  const answer = await teiAnswer(exchange, { path: '/embed_sparse', body });
  return { embeddings: answer.map((entries) => sparseEmbedding(entries, parameters.returnTokens)), tokens };
}

async function teiAnswer(
  { send, inputs, signal }: EmbedExchange,
  exchange: Exchange,
): Promise<readonly unknown[]> {
  const answer = listIn(await send(exchange, signal), 'the answer');
  if (answer.length === inputs.length) return answer;
  throw invalidResponse(`${answer.length} results for ${inputs.length} texts`);
}

function denseEmbedding(value: unknown, { setting, parameters }: EmbedExchange): Embedding {
  const vector = readVector(value);
  const values = shapeVector(vector, {
    dimension: parameters.dimension ?? vector.length,
    isCuttable: setting.resize === 'cut',
    isNormalized: setting.normalize,
  });
  return { vectorType: 'dense', values };
}

/** Divides the provider's token count, which is exact, among the texts in proportion to their words. */
function shareOut(usage: unknown, counted: readonly number[]): readonly number[] {
  const fields = membersOf(usage);
  const total = fields.total_tokens ?? fields.prompt_tokens;
  if (typeof total !== 'number' || !Number.isInteger(total) || total < 1) return counted;
  const sum = counted.reduce((all, count) => all + count, 0);
  let given = 0;
  let seen = 0;
  return counted.map((count) => {
    seen += count;
    const upToHere = Math.round((total * seen) / sum);
    const share = upToHere - given;
    given = upToHere;
    return share;
  });
}

function sparseEmbedding(value: unknown, returnTokens: boolean): Embedding {
  const vector = readSparseVector(value);
  // The provider does not send the words, so their indices stand for them.
  return {
    vectorType: 'sparse',
    ...vector,
    ...(returnTokens && { tokens: Array.from(vector.indices, String) }),
  };
}
