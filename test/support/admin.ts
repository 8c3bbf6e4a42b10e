// A service with a known owner, the ways into its administration: the official AdminClient, and plain HTTP with a token.
import { AdminClient } from '@pinecone-database/pinecone';
import { type Answer, type CallOptions, call } from './call.ts';
import { type Environment, type Service, startService } from './service.ts';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export const OWNER: Credentials = {
  clientId: 'ring3OwnerClient0123456789abcdef',
  clientSecret: 'ring3-owner-secret-0123456789abcdefghijklmnopqrstuvwxyz',
};

export interface Named {
  readonly id: string;
  readonly name: string;
}

const ENVIRONMENT = {
  PINYON_ADMIN_CLIENT_ID: OWNER.clientId,
  PINYON_ADMIN_CLIENT_SECRET: OWNER.clientSecret,
};
const TOKEN_ADDRESS = 'https://login.pinecone.io/oauth/token';
const AUDIENCE = 'https://api.pinecone.io/';

export type AdminCallOptions = Omit<CallOptions, 'key'> & { readonly token?: string };

export class AdminService {
  readonly service: Service;
  /** What every start of the service is given. */
  readonly env = ENVIRONMENT;
  readonly #token: string;

  private constructor(service: Service, token: string) {
    this.service = service;
    this.#token = token;
  }

  /** @param env settings beside the owner's credentials */
  static async start(env: Environment = {}): Promise<AdminService> {
    const service = await startService({ env: { ...ENVIRONMENT, ...env } });
    try {
      return new AdminService(service, await tokenOf(service.url, OWNER));
    } catch (error) {
      await service.dispose();
      throw error;
    }
  }

  /** The SDK's client: the address of its token exchange is fixed, so that `fetchApi` turns it to the server. */
  client(credentials: Credentials = OWNER): AdminClient {
    const { url } = this.service;
    return new AdminClient({
      ...credentials,
      controllerHostUrl: url,
      fetchApi: (input, init) => fetch(String(input) === TOKEN_ADDRESS ? `${url}/oauth/token` : input, init),
    });
  }

  token(credentials: Credentials): Promise<string> {
    return tokenOf(this.service.url, credentials);
  }

  /** A raw request with the owner's token, or another one. */
  call(method: string, path: string, { token = this.#token, headers, ...rest }: AdminCallOptions = {}) {
    return call(this.service.url, method, `/admin${path}`, {
      ...rest,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  }

  /** The body of an answer that must be a success. */
  async body<Body>(method: string, path: string, options?: AdminCallOptions): Promise<Body> {
    const answer = await this.call(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as Body;
  }

  /** A key with one role, of the first project or of another. */
  async keyWith(role: string, projectId?: string): Promise<string> {
    const { data } = await this.body<{ data: { id: string }[] }>('GET', '/projects');
    const path = `/projects/${projectId ?? data[0]?.id}/api-keys`;
    const { value } = await this.body<{ value: string }>('POST', path, {
      body: { name: role, roles: [role] },
    });
    return value;
  }

  /** A key that may do everything in a new project. */
  async keyOfNewProject(): Promise<string> {
    const { id } = await this.body<{ id: string }>('POST', '/projects', { body: { name: 'other' } });
    return this.keyWith('ProjectEditor', id);
  }

  /** A service account with these roles, and a token of it. */
  async newcomer(role_bindings: readonly object[]): Promise<{ readonly id: string; readonly token: string }> {
    const made = await this.body<{
      service_account: { id: string; client_id: string };
      client_secret: string;
    }>('POST', '/service-accounts', { body: { name: 'newcomer', role_bindings } });
    const { service_account: account, client_secret: clientSecret } = made;
    return { id: account.id, token: await this.token({ clientId: account.client_id, clientSecret }) };
  }

  newProject(name = 'Project'): Promise<Named> {
    return this.body('POST', '/projects', { body: { name } });
  }

  newKey(projectId: string, body: object = {}): Promise<{ key: Named; value: string }> {
    return this.body('POST', `/projects/${projectId}/api-keys`, { body: { name: 'key', ...body } });
  }

  newAccount(body: object = {}): Promise<{ service_account: Named & { client_id: string } }> {
    return this.body('POST', '/service-accounts', { body: { name: 'robot', ...body } });
  }

  dispose(): Promise<void> {
    return this.service.dispose();
  }
}

/** What the token exchange answers to the credentials. */
export function exchange(url: string, { clientId, clientSecret }: Credentials): Promise<Answer> {
  const body = {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
    audience: AUDIENCE,
  };
  return call(url, 'POST', '/oauth/token', { body });
}

export async function tokenOf(url: string, credentials: Credentials): Promise<string> {
  const answer = await exchange(url, credentials);
  if (answer.status !== 200) throw new Error(`token exchange: ${answer.status} ${answer.text}`);
  return (answer.body as { readonly access_token: string }).access_token;
}

/** Follows an invite's link as the person behind it would, by the page's own call. */
export async function acceptInvite(link: string, name?: string): Promise<Answer> {
  const { origin, pathname, searchParams } = new URL(link);
  return call(origin, 'POST', pathname, { body: { token: searchParams.get('token'), name } });
}
