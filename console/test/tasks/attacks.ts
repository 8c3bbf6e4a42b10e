// What other pages may try in the browser of somebody who is signed in: another port of the same host, frames, forms.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { it } from 'node:test';
import { Visit } from '../browser.ts';
import type { ConsoleFixture } from '../fixture.ts';

/** What browsers say of a refused frame, a refused request and an inline script. */
const REFUSED =
  /frame-ancestors|Refused to|CORS policy|Failed to load resource|Content Security Policy|ERR_/i;

export function attackTasks(on: ConsoleFixture): void {
  it('gives another port of the host no session: no answer, no change, and no use of the cookie', async () => {
    const stranger = await Stranger.start();
    const page = await on.visit.context.newPage();
    try {
      await on.open('#/');
      await on.link('samples').waitFor();
      await page.goto(stranger.url);
      const { url } = on.service;
      const tried = await page.evaluate(tryRequests, url);
      assert.deepEqual(tried, { read: 'refused', deleted: 'refused', form: 'sent' });
      // The browser shows the cookie to all ports of the host; whoever sends it without the token gets nothing.
      const cookie =
        stranger.cookies.find((each) => each.includes('pinyon')) ?? assert.fail('no cookie was shown');
      for (const headers of [{ cookie }, { cookie, 'x-pinyon-session': 'guessed' }]) {
        const answer = await fetch(`${url}/console/overview`, { headers });
        assert.equal(answer.status, 401);
      }
      const { status } = await on.service.call('GET', '/indexes/samples');
      assert.equal(status, 200);
    } finally {
      await page.close();
      await stranger.stop();
    }
    on.visit.assertQuiet();
  });

  it('is shown in no frame', async () => {
    const stranger = await Stranger.start(`<iframe src="${on.service.url}/"></iframe>`);
    const other = await Visit.open(on.browser, on.view);
    try {
      await other.page.goto(stranger.url);
      const frame = await other.page.locator('iframe').elementHandle();
      const inside = await frame?.contentFrame();
      await inside?.waitForLoadState();
      assert.equal((await inside?.content())?.includes('id="app"'), false);
    } finally {
      await other.close();
      await stranger.stop();
    }
  });

  it('runs no script that the server did not send', async () => {
    on.visit.expect(REFUSED);
    await on.open('#/');
    const ran = await on.page.evaluate(async () => {
      const violated = new Promise((resolve) =>
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
          resolve(effectiveDirective),
        ),
      );
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
      return [await violated, 'ran' in window];
    });
    assert.deepEqual(ran, ['script-src-elem', false]);
  });
}

/** A server at another port of the host, which keeps the cookies that browsers show it. */
class Stranger {
  readonly url: string;
  readonly cookies: string[];
  readonly #server: Server;

  private constructor(server: Server, port: number, cookies: string[]) {
    this.#server = server;
    this.url = `http://localhost:${port}/`;
    this.cookies = cookies;
  }

  static async start(body = ''): Promise<Stranger> {
    const cookies: string[] = [];
    const server = createServer(({ headers }, response) => {
      if (headers.cookie !== undefined) cookies.push(headers.cookie);
      response.setHeader('content-type', 'text/html').end(`<!doctype html><title>x</title>${body}`);
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const address = server.address();
    return new Stranger(server, typeof address === 'object' && address !== null ? address.port : 0, cookies);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Runs in the stranger's page, where the browser adds the cookie of the host to all of these. */
async function tryRequests(url: string): Promise<Readonly<Record<string, string>>> {
  const outcome = async (method: string, path: string, headers: Record<string, string>) => {
    try {
      const answer = await fetch(`${url}${path}`, { method, headers, credentials: 'include' });
      return `answered ${answer.status}`;
    } catch {
      return 'refused';
    }
  };
  const frame = document.createElement('iframe');
  frame.name = 'target';
  const form = document.createElement('form');
  Object.assign(form, { action: `${url}/console/session`, method: 'post', target: 'target' });
  document.body.append(frame, form);
  const answered = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  form.submit();
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  return {
    read: await outcome('GET', '/console/session', {}),
    deleted: await outcome('DELETE', '/indexes/samples', { 'x-pinyon-session': 'guessed' }),
    form: 'sent',
  };
}
