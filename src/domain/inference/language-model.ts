// The port of language models: conversations in, answers out in pieces.
import type { JsonObject } from '../json.ts';

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly content: string | readonly ContentPart[];
  /** Of an assistant's message: the calls of tools, as the model sent them. */
  readonly toolCalls?: readonly JsonObject[] | undefined;
  /** Of a tool's message: the call that it answers. */
  readonly toolCallId?: string | undefined;
}

/** What callers may ask of a model beside the answer itself. Absent fields leave the choice to the model. */
export interface ModelOptions {
  /** Tokens of the answer. */
  readonly maxTokens?: number | undefined;
  /** The `json_schema` of OpenAI's `response_format`. */
  readonly jsonSchema?: JsonObject | undefined;
  /** As OpenAI defines them, not empty. */
  readonly tools?: readonly JsonObject[] | undefined;
  readonly toolChoice?: string | JsonObject | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  /** Parameters of sampling by their names in the OpenAI form. */
  readonly sampling?: JsonObject | undefined;
}

export interface ModelRequest {
  /** The name by which the provider knows the model. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** Null leaves the choice to the model. */
  readonly temperature: number | null;
  /** The answer must be one JSON object. */
  readonly isJson: boolean;
  readonly options?: ModelOptions | undefined;
}

export interface AnswerUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** A part of a call of a tool: the parts of one call have the same index; joined, their arguments are JSON. */
export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments: string;
}

/** Texts of whole characters and calls of tools, then exactly one end. */
export type ModelPiece =
  | { readonly type: 'text'; readonly text: string }
  /** Said instead of an answer; such an answer ends with the reason content_filter. */
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'tool-calls'; readonly calls: readonly ToolCallDelta[] }
  | {
      readonly type: 'end';
      readonly finishReason: FinishReason;
      /** Null when the provider does not count tokens. */
      readonly usage: AnswerUsage | null;
    };

/** A model as its provider describes it. */
export interface ListedModel {
  readonly name: string;
  /** Tokens of conversation and answer together; null where the provider does not tell. */
  readonly contextTokens: number | null;
}

export interface LanguageModel {
  /** Returns the models that the provider lists; none when it lists none or cannot be asked. Absent: it is not asked. */
  readonly models?: () => Promise<readonly ListedModel[]>;
  /** Returns the tokens of conversation and answer together; null where the provider does not tell. */
  readonly contextTokens?: (model: string) => Promise<number | null>;
  /**
   * Streams the answer to a conversation. Leaving the loop early ends the request.
   * @throws chat-unavailable, overloaded, invalid-argument when the provider refuses the request; the signal's reason
   */
  ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPiece>;
}
