/// <reference path="./oidc-provider.d.ts" />
// A real OpenID provider on loopback, whose people and their groups a test sets, and whose ID tokens it may forge.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Context } from 'oidc-provider';
import { HANG_MS } from './until.ts';

export const CLIENT_ID = 'pinyon';
export const CLIENT_SECRET = 'a-secret-of-the-tests-0123456789';

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/** Makes an ID token of a true one's claims. */
type Forge = (claims: JWTPayload, sign: (claims: JWTPayload) => Promise<string>) => Promise<string>;

export class OpenIdProvider {
  readonly issuer: string;
  readonly accounts = new Map<string, Account>();
  /** Who signs in without being asked; null shows a page with a button for each account. */
  signsIn: string | null = null;
  forge: Forge | null = null;
  readonly #server: Server;
  #handle: ReturnType<Provider['callback']> = (_, response) => response.writeHead(500).end();

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#handle(request, response));
  }

  static async start(): Promise<OpenIdProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening', { signal: AbortSignal.timeout(HANG_MS) });
    return new OpenIdProvider(server);
  }

  /** The settings of a service whose people sign in here. */
  get env(): Readonly<Record<string, string>> {
    return {
      PINYON_OIDC_ISSUER: this.issuer,
      PINYON_OIDC_CLIENT_ID: CLIENT_ID,
      PINYON_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      PINYON_OIDC_NAME: 'Test login',
      PINYON_OIDC_SCOPES: 'openid email profile groups',
    };
  }

  /** Knows the service from now on. @param url its public address */
  async register(url: string): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: 'test', use: 'sig', alg: 'RS256' };
    const sign = (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(privateKey);
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [`${url}/console/oidc/callback`],
          post_logout_redirect_uris: [`${url}/`],
          response_types: ['code'],
          grant_types: ['authorization_code'],
        },
      ],
      jwks: { keys: [key] },
      scopes: ['openid', 'email', 'profile', 'groups'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      cookies: { keys: ['test'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      findAccount: (_: Context, sub: string) => this.#account(sub),
      loadExistingGrant: async (context: Context) => {
        const { client, session } = context.oidc;
        const known = session.grantIdFor(client.clientId);
        if (known !== undefined) return provider.Grant.find(known);
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      if (context.path.startsWith('/interaction/')) return this.#interact(provider, context);
      await next();
      const { body, path } = context;
      const isToken = path === '/token' && typeof body === 'object' && body !== null && 'id_token' in body;
      if (!isToken || this.forge === null || typeof body.id_token !== 'string') return;
      context.body = { ...body, id_token: await this.forge(decodeJwt(body.id_token), sign) };
    });
    this.#handle = provider.callback();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** People have no account any more who are not in the map. */
  #account(sub: string) {
    const claims = this.accounts.get(sub);
    return claims === undefined ? undefined : { accountId: sub, claims: () => ({ sub, ...claims }) };
  }

  async #interact(provider: Provider, context: Context): Promise<void> {
    const { req, res, method } = context;
    const chosen = new URL(req.url ?? '/', this.issuer).searchParams.get('as');
    const accountId = this.signsIn ?? (method === 'POST' ? chosen : null);
    if (accountId === null) {
      const buttons = [...this.accounts.keys()].map(
        (sub) => `<form method="post" action="?as=${sub}"><button>Continue as ${sub}</button></form>`,
      );
      context.status = 200;
      context.type = 'html';
      context.body = `<!doctype html><title>Test login</title><link rel="icon" href="data:,"><h1>Test login</h1>${buttons.join('')}`;
      return;
    }
    context.respond = false;
    const options = { mergeWithLastSubmission: false };
    const result =
      accountId === 'nobody'
        ? { error: 'access_denied', error_description: 'You said no' }
        : { login: { accountId } };
    await provider.interactionFinished(req, res, result, options);
  }
}
