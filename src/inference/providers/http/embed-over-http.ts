// Embedding models at HTTP providers: the OpenAI API, which most servers implement, and that of TEI.
import type { EmbedModel } from '../../../domain/inference/model.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import type { EmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { fitText } from '../../fit-texts.ts';
import type { EmbedAnswer, EmbedBatch } from '../../ports.ts';
import { readablePart } from '../../readable-part.ts';
import type { HttpSetting } from '../../settings/provider-settings.ts';
import { shapeVector } from '../../shape-vector.ts';
import { byIndex, finite, listIn, nonsense, objectIn, readVector } from './read-answers.ts';

export interface Exchange {
  /** Below the configured address. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends an exchange and resolves to the parsed answer. */
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
  // The real tokenizer is over there: words are counted here, so that no text is cut without being told.
  const fitted = texts.map((text, position) => fitText(readablePart(text, parameters), position, parameters));
  const inputs = fitted.map(({ text }) => parts.setting.prefixes[parameters.inputType] + text);
  const tokens = fitted.map((each) => each.tokens);
  const asked: Asked = { ...parts, inputs, tokens, parameters, signal };
  if (parts.model.vectorType === 'sparse') return await embedSparseTei(asked);
  return parts.setting.provider === 'tei' ? await embedTei(asked) : await embedOpenAi(asked);
}

interface Asked extends HttpEmbedderParts {
  readonly inputs: readonly string[];
  /** By our count. */
  readonly tokens: readonly number[];
  readonly parameters: EmbedParameters;
  readonly signal: AbortSignal;
}

async function embedOpenAi(asked: Asked): Promise<EmbedAnswer> {
  const { model, setting, inputs, parameters, tokens, signal } = asked;
  const isResizable = model.vectorType === 'dense' && model.dimensions.length > 1;
  const body = {
    model: setting.model,
    input: inputs,
    encoding_format: setting.encoding,
    ...(isResizable && setting.resize === 'server' ? { dimensions: parameters.dimension } : {}),
    ...(setting.inputTypeField === null ? {} : { [setting.inputTypeField]: parameters.inputType }),
  };
  const answer = objectIn(await asked.send({ path: '/embeddings', body }, signal), 'the answer');
  const data = byIndex(listIn(answer.data, 'data'), inputs.length);
  const embeddings = data.map(({ embedding }) => denseEmbedding(embedding, asked));
  return { embeddings, tokens: shareOut(answer.usage, tokens) };
}

async function embedTei(asked: Asked): Promise<EmbedAnswer> {
  const { setting, inputs, tokens } = asked;
  const body = { inputs, truncate: true, normalize: setting.normalize };
  const answer = await teiAnswer(asked, { path: '/embed', body });
  return { embeddings: answer.map((vector) => denseEmbedding(vector, asked)), tokens };
}

async function embedSparseTei(asked: Asked): Promise<EmbedAnswer> {
  const { inputs, tokens, parameters } = asked;
  const answer = await teiAnswer(asked, { path: '/embed_sparse', body: { inputs, truncate: true } });
  return { embeddings: answer.map((entries) => sparseEmbedding(entries, parameters.returnTokens)), tokens };
}

async function teiAnswer({ send, inputs, signal }: Asked, exchange: Exchange): Promise<readonly unknown[]> {
  const answer = listIn(await send(exchange, signal), 'the answer');
  if (answer.length === inputs.length) return answer;
  throw nonsense(`${answer.length} results for ${inputs.length} texts`);
}

function denseEmbedding(value: unknown, { setting, parameters }: Asked): Embedding {
  const vector = readVector(value);
  const values = shapeVector(vector, {
    dimension: parameters.dimension ?? vector.length,
    isCuttable: setting.resize === 'cut',
    isNormalized: setting.normalize,
  });
  return { vectorType: 'dense', values };
}

/** The provider's own count, which is the true one, shared out by our counts of the single texts. */
function shareOut(usage: unknown, counted: readonly number[]): readonly number[] {
  const fields =
    typeof usage === 'object' && usage !== null ? (usage as Readonly<Record<string, unknown>>) : {};
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
  const entries = listIn(value, 'a sparse vector').map((each) => {
    const { index, value: weight } = objectIn(each, 'an entry');
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > 0xffff_ffff) {
      throw nonsense('an index is none');
    }
    return { index, weight: finite(weight) };
  });
  const kept = entries.filter(({ weight }) => weight > 0).sort((a, b) => a.index - b.index);
  return {
    vectorType: 'sparse',
    indices: Uint32Array.from(kept, ({ index }) => index),
    values: Float32Array.from(kept, ({ weight }) => weight),
    // The words stay over there: their numbers are all that is known here.
    ...(returnTokens ? { tokens: kept.map(({ index }) => String(index)) } : {}),
  };
}
