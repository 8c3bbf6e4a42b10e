// A browser that the tests drive: Debian's Chromium, with everything noted that a page must not do.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { HANG_MS } from '../../test/support/until.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Where screenshots go. */
const SHOTS = process.env.PINYON_SCREENSHOTS ?? fileURLToPath(new URL('../screenshots/', import.meta.url));
/** With `--pictures`, the tests make those of the documentation anew, from the wide page in light colors. */
const PICTURES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const PICTURE_WIDTH = 1_280;
const PICTURE_NAMES: Readonly<Record<string, string>> = {
  'search-compared': 'console-search.png',
  record: 'console-record.png',
  live: 'console-live.png',
  'cited-page': 'console-cited-page.png',
  people: 'console-people.png',
};
const HEIGHT = 900;
export interface View {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** Undefined where no browser is installed. */
export function browserProgram(): string | undefined {
  return [process.env.PINYON_BROWSER, ...PROGRAMS].find((each) => each !== undefined && existsSync(each));
}

export function launch(executablePath: string): Promise<Browser> {
  // The tests may run as root, where Chromium has no sandbox; they open pages of this server alone.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb'] });
}

/** A page of its own cookies, and what it did wrong. */
export class Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #view: View;
  readonly #faults: string[] = [];
  readonly #expected: RegExp[] = [];

  private constructor(context: BrowserContext, page: Page, view: View) {
    this.context = context;
    this.page = page;
    this.#view = view;
    page.setDefaultTimeout(HANG_MS);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#faults.push(message.text());
    });
    page.on('pageerror', (error) => this.#faults.push(String(error)));
    page.on('dialog', (dialog) => {
      this.#faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!/^(http:\/\/localhost:|blob:|data:)/.test(request.url()))
        this.#faults.push(`asked ${request.url()}`);
    });
  }

  static async open(browser: Browser, view: View): Promise<Visit> {
    const { width, scheme } = view;
    const context = await browser.newContext({
      viewport: { width, height: HEIGHT },
      colorScheme: scheme,
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    return new Visit(context, await context.newPage(), view);
  }

  /** Faults that the next steps cause on purpose. */
  expect(fault: RegExp): void {
    this.#expected.push(fault);
  }

  /** Checks the page as it is now, and keeps a picture of it. */
  async check(name: string): Promise<void> {
    await this.checkLayout(name);
    assert.deepEqual(await this.#inaccessible(), [], `accessibility of ${name}`);
  }

  /** Checks all but accessibility, where somebody else's program draws the page; keeps a picture. */
  async checkLayout(name: string): Promise<void> {
    const { width, scheme } = this.#view;
    mkdirSync(SHOTS, { recursive: true });
    const picture = await this.page.screenshot({ path: join(SHOTS, `${name}-${width}-${scheme}.png`) });
    this.#keepPicture(name, picture);
    const overflow = await this.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
    this.assertQuiet();
  }

  /** @throws when the page logged an error, broke its policy or asked another host */
  assertQuiet(): void {
    const faults = this.#faults.filter((each) => !this.#expected.some((expected) => expected.test(each)));
    assert.deepEqual(faults, []);
  }

  #keepPicture(name: string, picture: Uint8Array): void {
    const { width, scheme } = this.#view;
    const file = PICTURE_NAMES[name];
    if (file === undefined || !process.argv.includes('--pictures')) return;
    if (width === PICTURE_WIDTH && scheme === 'light') writeFileSync(join(PICTURES, file), picture);
  }

  close(): Promise<void> {
    return this.context.close();
  }

  async #inaccessible(): Promise<readonly string[]> {
    // Not a script element, which the policy of the page forbids.
    await this.page.evaluate(axe.source);
    return this.page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
        );
    });
  }
}
