// A person who has no pointer: reaches everything by Tab, and works it by the keys that browsers have for it.
import assert from 'node:assert/strict';
import type { FileChooser, Locator, Page } from 'playwright-core';

/** More than any page has to be passed. */
const TABS_MAX = 250;
const CHOICES_MAX = 60;

export class Keys {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** @throws when Tab does not reach it */
  async to(target: Locator): Promise<void> {
    const element = target.first();
    await element.waitFor();
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      if (await element.evaluate((each) => each === document.activeElement)) return;
      await this.#page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${target}`);
  }

  async press(target: Locator, key = 'Enter'): Promise<void> {
    await this.to(target);
    await this.#page.keyboard.press(key);
  }

  /** Replaces what an input has. */
  async type(target: Locator, text: string): Promise<void> {
    await this.to(target);
    await this.#page.keyboard.press('Control+a');
    await this.#page.keyboard.insertText(text);
  }

  /** Chooses an option by its value. */
  async choose(target: Locator, value: string): Promise<void> {
    await this.to(target);
    await this.#page.keyboard.press('Home');
    for (let at = 0; at < CHOICES_MAX && (await target.inputValue()) !== value; at++)
      await this.#page.keyboard.press('ArrowDown');
    assert.equal(await target.inputValue(), value);
  }

  /** Opens the browser's own dialog of an input of files. */
  async chooseFile(target: Locator): Promise<FileChooser> {
    const opened = this.#page.waitForEvent('filechooser');
    await this.press(target);
    return opened;
  }
}
