// A browser as far as signing in at a provider needs one: cookies by host, redirects, and what the console's page does.
import { type Answer, call } from './call.ts';

export interface Begun {
  readonly location: string;
  readonly token: string;
}

export interface Session {
  readonly token: string;
  readonly user: string;
  readonly principal: { readonly type: string; readonly id: string };
  readonly permissions: readonly string[];
  readonly projects: readonly { readonly id: string; readonly permissions: readonly string[] }[];
  readonly return_to?: string;
}

const REDIRECTS_MAX = 10;

export class SignInBrowser {
  readonly #base: string;
  readonly #jars = new Map<string, Map<string, string>>();
  /** The token of the session of the page. */
  token: string | null = null;

  constructor(base: string) {
    this.#base = base;
  }

  /** A request of the console's page. */
  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const { host } = new URL(this.#base);
    const headers = {
      cookie: this.#cookies(host),
      ...(this.token !== null && { 'x-pinyon-session': this.token }),
    };
    const answer = await call(this.#base, method, path, { headers, ...(body !== undefined && { body }) });
    this.#keep(host, answer.headers['set-cookie'] ?? []);
    return answer;
  }

  async begin(fields: object = {}): Promise<Begun> {
    const { status, body, text } = await this.ask('POST', '/console/oidc', fields);
    if (status !== 200) throw new Error(`begin: ${status} ${text}`);
    return body as Begun;
  }

  /** Goes to the provider and back; resolves to the query of the callback. */
  async visit(location: string): Promise<string> {
    let url = new URL(location);
    for (let redirects = 0; redirects < REDIRECTS_MAX; redirects++) {
      const response = await fetch(url, { redirect: 'manual', headers: { cookie: this.#cookies(url.host) } });
      this.#keep(url.host, response.headers.getSetCookie());
      const next = response.headers.get('location');
      if (next === null) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      url = new URL(next, url);
      if (url.hash.startsWith('#/sign-in?')) {
        if (url.origin !== this.#base) throw new Error(`left the console: ${url}`);
        return new URLSearchParams(url.hash.slice('#/sign-in?'.length)).get('callback') ?? '';
      }
    }
    throw new Error('too many redirects');
  }

  /** Ends the sign-in, and goes on with its session if it succeeds. */
  async finish(callback: string, token: string): Promise<Answer> {
    const answer = await this.ask('POST', '/console/session', { callback, callback_token: token });
    if (answer.status === 200) this.token = (answer.body as Session).token;
    return answer;
  }

  async signIn(fields: object = {}): Promise<Answer> {
    const { location, token } = await this.begin(fields);
    return this.finish(await this.visit(location), token);
  }

  #cookies(host: string): string {
    return [...(this.#jars.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(host: string, cookies: readonly string[]): void {
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    for (const cookie of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      const isGone = /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie) || value === '';
      if (isGone) jar.delete(name);
      else jar.set(name, value);
    }
  }
}
