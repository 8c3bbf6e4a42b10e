// The OpenID provider: its metadata, the address that people are sent to, and the claims for the code they return with.
import type * as OpenIdClient from 'openid-client';
import { fault } from '../../../domain/faults.ts';
import { type JsonObject, membersOf } from '../../../domain/json.ts';
import { quoted } from '../../../domain/quoted.ts';
import { type ClaimRules, isComplete } from './person-claims.ts';
import { isProtected, providerFetch, requestProblem } from './provider-fetch.ts';

type Client = typeof OpenIdClient;

/** How far the clocks of the provider and of this server may be apart. */
export const CLOCK_SKEW_SECONDS = 60;
const TIMEOUT_SECONDS = 10;
/** Metadata are read again after this time, so that a provider may move its endpoints. */
const METADATA_MS = 3_600_000;
const REASON_CHARS_MAX = 200;
/** Answers of the token endpoint that concern the code alone, so that a new sign-in may succeed. */
const CODE_ERRORS: ReadonlySet<unknown> = new Set(['invalid_grant', 'access_denied']);

export interface OpenIdProviderOptions extends ClaimRules {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without a secret, which PKCE protects alone. */
  readonly clientSecret: string | null;
  readonly scopes: string;
  /** For people. */
  readonly name: string;
  /** Public address of this server, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly now: () => number;
}

export interface RoundTrip {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider vouches for. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: JsonObject;
  readonly sid: string | null;
  readonly idToken: string;
}

/** The path of the address that the provider sends people back to. */
export const CALLBACK_PATH = '/console/oidc/callback';

export class OpenIdProvider {
  readonly #options: OpenIdProviderOptions;
  #configured: { readonly endsAt: number; readonly ready: Promise<OpenIdClient.Configuration> } | null = null;

  constructor(options: OpenIdProviderOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get callbackUrl(): string {
    return `${this.#options.baseUrl()}${CALLBACK_PATH}`;
  }

  /** A new round trip and the address that begins it. @throws provider-unavailable */
  async begin(): Promise<RoundTrip & { readonly location: string }> {
    const client = await import('openid-client');
    const config = await this.#configuration(client);
    const trip = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const location = client.buildAuthorizationUrl(config, {
      redirect_uri: this.callbackUrl,
      scope: this.#options.scopes,
      state: trip.state,
      nonce: trip.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(trip.verifier),
      code_challenge_method: 'S256',
    });
    return { ...trip, location: location.href };
  }

  /**
   * Redeems the code, and checks the ID token: issuer, audience, signature, times, nonce.
   * @param callback the query that the provider sent the person back with
   * @throws sign-in-refused, provider-unavailable
   */
  async finish(callback: string, { state, nonce, verifier }: RoundTrip): Promise<ProvidedIdentity> {
    const client = await import('openid-client');
    const config = await this.#configuration(client);
    const address = new URL(this.callbackUrl);
    address.search = callback;
    try {
      const tokens = await client.authorizationCodeGrant(config, address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const own = tokens.claims();
      if (own === undefined || tokens.id_token === undefined) throw new Error('there is no ID token');
      const claims = membersOf(own);
      const asksMore = !isComplete(claims, this.#options) && hasUserInfo(config);
      const more = asksMore ? await client.fetchUserInfo(config, tokens.access_token, own.sub) : {};
      return {
        issuer: own.iss,
        subject: own.sub,
        // What is signed counts before.
        claims: { ...membersOf(more), ...claims },
        sid: typeof claims.sid === 'string' ? claims.sid : null,
        idToken: tokens.id_token,
      };
    } catch (error) {
      throw this.#faultOf(client, error);
    }
  }

  /** Null if the provider has none, or does not answer: the session here has ended all the same. */
  async signOutAddress(idToken: string): Promise<string | null> {
    const client = await import('openid-client');
    try {
      const config = await this.#configuration(client);
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const post_logout_redirect_uri = `${this.#options.baseUrl()}/`;
      return client.buildEndSessionUrl(config, { id_token_hint: idToken, post_logout_redirect_uri }).href;
    } catch {
      return null;
    }
  }

  /** Reads the metadata once; a failure is forgotten, so that the next caller tries again. */
  #configuration(client: Client): Promise<OpenIdClient.Configuration> {
    const now = this.#options.now();
    if (this.#configured !== null && now < this.#configured.endsAt) return this.#configured.ready;
    const configured = { endsAt: now + METADATA_MS, ready: this.#discover(client) };
    this.#configured = configured;
    configured.ready.catch(() => {
      if (this.#configured === configured) this.#configured = null;
    });
    return configured.ready;
  }

  async #discover(client: Client): Promise<OpenIdClient.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    const execute = [client.enableNonRepudiationChecks];
    if (server.protocol === 'http:' && isProtected(server)) execute.push(client.allowInsecureRequests);
    const metadata = { [client.clockTolerance]: CLOCK_SKEW_SECONDS };
    const proof = clientSecret === null ? client.None() : client.ClientSecretBasic(clientSecret);
    try {
      return await client.discovery(server, clientId, metadata, proof, {
        execute,
        timeout: TIMEOUT_SECONDS,
        [client.customFetch]: (url, options) => providerFetch(url, requestOf(options)),
      });
    } catch (error) {
      throw this.#unavailable(requestProblem(error));
    }
  }

  #faultOf(client: Client, error: unknown): Error {
    const { name } = this.#options;
    if (error instanceof client.AuthorizationResponseError) {
      const words = error.error_description ?? error.error;
      const reason = `${name} did not sign you in: ${quoted(words, REASON_CHARS_MAX)}`;
      return fault('sign-in-refused', { reason });
    }
    if (error instanceof client.ResponseBodyError) {
      if (!CODE_ERRORS.has(error.error)) {
        return this.#unavailable(`it refuses this server (${quoted(error.error, REASON_CHARS_MAX)})`);
      }
      const reason = `${name} does not accept its code: it was used already or has expired. Sign in again.`;
      return fault('sign-in-refused', { reason });
    }
    const { code } = membersOf(error);
    if (typeof code === 'string' && REFUSED.has(code)) {
      const reason = `The answer of ${name} is not valid here (${refusedPart(error) ?? code}). Sign in again.`;
      return fault('sign-in-refused', { reason });
    }
    return this.#unavailable(requestProblem(error));
  }

  #unavailable(problem: string): Error {
    const { name } = this.#options;
    return fault('provider-unavailable', {
      reason: `Signing in with ${name} does not work at present: ${problem}. Sign in another way, or try again.`,
    });
  }
}

/** Conditions of an answer that fails a check, though the provider works. */
const REFUSED: ReadonlySet<string> = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
]);

/** The claim that failed the check. */
function refusedPart(error: unknown): string | undefined {
  const { claim, attribute } = membersOf(membersOf(membersOf(error).cause).cause);
  if (typeof claim === 'string') return claim;
  return typeof attribute === 'string' ? attribute : undefined;
}

function hasUserInfo(config: OpenIdClient.Configuration): boolean {
  return config.serverMetadata().userinfo_endpoint !== undefined;
}

function requestOf({ body, headers, method, signal }: OpenIdClient.CustomFetchOptions): RequestInit {
  return {
    method,
    headers,
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  };
}
