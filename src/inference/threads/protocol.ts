// What a model's thread and the serving thread say to each other.

export interface ThreadRequest {
  readonly callId: number;
  readonly request: unknown;
}

/** How a call ended that was not answered, in parts that survive the way between threads. */
export type ThreadFailure =
  | {
      readonly kind: 'too-long';
      readonly position: number;
      readonly tokens: number;
      readonly tokensMax: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };

export type ThreadMessage =
  | { readonly type: 'started'; readonly facts: unknown }
  | { readonly type: 'not-started'; readonly reason: string }
  | { readonly type: 'answer'; readonly callId: number; readonly answer: unknown }
  | { readonly type: 'failure'; readonly callId: number; readonly failure: ThreadFailure };
