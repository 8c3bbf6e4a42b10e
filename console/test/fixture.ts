// What the tasks of people share: a real server, a browser that looks at it, and words for what they click.
import { API_KEY, type Environment, type Service, startService } from '../../test/support/service.ts';
import { type launch, type View, Visit } from './browser.ts';

export const HOSTILE = '<img src=x onerror="alert(1)">';
/** Turns the text after it around. */
export const OVERRIDE = '\u202e';
export const UNAUTHORIZED = /status of 401/;
export const OFFLINE = /ERR_CONNECTION|ERR_EMPTY_RESPONSE/;

type Browser = Awaited<ReturnType<typeof launch>>;

export class ConsoleFixture {
  readonly browser: Browser;
  readonly view: View;
  #service: Service | undefined;
  #visit: Visit | undefined;

  constructor(browser: Browser, view: View) {
    this.browser = browser;
    this.view = view;
  }

  async start(env: Environment = {}): Promise<void> {
    this.#service = await startService({ env });
    ownerOf(this.#service);
    this.#visit = await Visit.open(this.browser, this.view);
  }

  async end(): Promise<void> {
    await this.#visit?.close();
    await this.#service?.dispose();
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('the fixture has not started');
    return this.#service;
  }

  get visit(): Visit {
    if (this.#visit === undefined) throw new Error('the fixture has not started');
    return this.#visit;
  }

  get page(): Visit['page'] {
    return this.visit.page;
  }

  button(name: string | RegExp) {
    return this.page.getByRole('button', { name, exact: true });
  }

  link(name: string) {
    return this.page.getByRole('link', { name, exact: true });
  }

  open(fragment: string) {
    return this.page.goto(`${this.service.url}/${fragment}`);
  }

  screen(name: string): Promise<void> {
    return this.page
      .getByRole('navigation', { name: 'Screens' })
      .getByRole('link', { name, exact: true })
      .click();
  }

  /** Signs out, and in by the credential that `fill` types. */
  async signInAs(fill: () => Promise<void>): Promise<void> {
    await this.page.locator('.menu summary').click();
    await this.button('Sign out').click();
    await fill();
    await this.button('Sign in').click();
    await this.page.getByRole('navigation', { name: 'Screens' }).waitFor();
  }

  /** Signs in by the key of the project, whatever was before. */
  async signIn(): Promise<void> {
    await this.open('');
    const key = this.page.getByLabel('API key');
    const screens = this.page.getByRole('navigation', { name: 'Screens' });
    await key.or(screens).first().waitFor();
    if ((await screens.count()) > 0) return;
    await key.fill(API_KEY);
    await this.button('Sign in').click();
    await screens.waitFor();
  }

  /** The sample index, made by a click where it is not there. */
  async samples(): Promise<void> {
    const { status } = await this.service.call('GET', '/indexes/samples');
    if (status === 200) return;
    await this.open('');
    await this.button('Load the sample data').click();
    await this.page.locator('.hits li').first().waitFor();
  }
}

interface Owner {
  readonly id: string;
  readonly secret: string;
}

const owners = new WeakMap<Service, Owner>();

/** The id and the secret of the owner. Only the first start prints them, so they are read before any other. */
export function ownerOf(service: Service): Owner {
  const known = owners.get(service);
  if (known !== undefined) return known;
  const { printed } = service.process;
  const [, id = ''] = /client id +(\S+)/.exec(printed) ?? [];
  const [, secret = ''] = /client secret +(\S+)/.exec(printed) ?? [];
  owners.set(service, { id, secret });
  return { id, secret };
}

/** Signs in by the service account of the first start, whoever was signed in before. */
export async function signInAsOwner(on: ConsoleFixture): Promise<void> {
  const { id, secret } = ownerOf(on.service);
  await on.signInAs(async () => {
    await on.button('Service account').click();
    await on.page.getByLabel('Client id').fill(id);
    await on.page.getByLabel('Client secret').fill(secret);
  });
}

/**
 * A request to the administration as the owner.
 * @param path from `/admin`, or what follows the address of the first project
 */
export async function adminCall<Body>(
  service: Service,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const { id, secret } = ownerOf(service);
  const grant = { grant_type: 'client_credentials', audience: 'https://api.pinecone.io/' };
  const { body: granted } = await service.call('POST', '/oauth/token', {
    body: { ...grant, client_id: id, client_secret: secret },
  });
  const headers = { authorization: `Bearer ${(granted as { access_token: string }).access_token}` };
  const whole = path.startsWith('/') ? path : `${await firstProject(service, headers)}/${path}`;
  const answered = await service.call(method, whole, { key: null, headers, body });
  return answered.body as Body;
}

async function firstProject(service: Service, headers: Readonly<Record<string, string>>): Promise<string> {
  const { body } = await service.call('GET', '/admin/projects', { key: null, headers });
  const [project] = (body as { data: readonly { id: string }[] }).data;
  return `/admin/projects/${project?.id}`;
}

/** A new key of the role ProjectViewer. */
export async function viewerKey(service: Service): Promise<string> {
  const body = { name: 'viewer', roles: ['ProjectViewer'] };
  return (await adminCall<{ readonly value: string }>(service, 'POST', 'api-keys', body)).value;
}
