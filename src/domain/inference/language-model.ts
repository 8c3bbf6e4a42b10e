// The port of language models: conversations in, answers out in pieces.

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly ContentPart[];
}

export interface ModelRequest {
  /** The name by which the provider knows the model. */
  readonly model: string;
  readonly messages: readonly ModelMessage[];
  /** Null leaves the choice to the model. */
  readonly temperature: number | null;
  /** The answer must be one JSON object. */
  readonly isJson: boolean;
}

export interface AnswerUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';

/** Texts of whole characters, then exactly one end. */
export type ModelPiece =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'end';
      readonly finishReason: FinishReason;
      /** Null when the provider does not count tokens. */
      readonly usage: AnswerUsage | null;
    };

export interface LanguageModel {
  /**
   * Streams the answer to a conversation. Leaving the loop early ends the request.
   * @throws chat-unavailable, overloaded, invalid-argument when the provider refuses the request; the signal's reason
   */
  ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPiece>;
}
