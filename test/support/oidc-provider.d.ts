// The parts of the OpenID provider of the tests that they use; its package has no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Context {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly path: string;
    readonly method: string;
    body: unknown;
    status: number;
    type: string;
    respond: boolean;
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: {
        readonly accountId: string;
        grantIdFor(clientId: string): string | undefined;
      };
    };
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: {
      new (fields: { readonly clientId: string; readonly accountId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { readonly mergeWithLastSubmission: boolean },
    ): Promise<void>;
  }
}
