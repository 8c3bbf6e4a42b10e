// Fingers on the screen, as the browser itself reports them.
import type { CDPSession, Page } from 'playwright-core';

export interface Finger {
  readonly x: number;
  readonly y: number;
}

const STEPS = 6;

export class Touches {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async on(page: Page): Promise<Touches> {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    return new Touches(session);
  }

  async tap(at: Finger): Promise<void> {
    await this.#send('touchStart', [at]);
    await this.#send('touchEnd', []);
  }

  /** All fingers go down at the first of their places, and straight to the second. */
  async drag(...fingers: readonly (readonly [from: Finger, to: Finger])[]): Promise<void> {
    await this.hold(...fingers);
    await this.#send('touchEnd', []);
  }

  /** As `drag`, with the fingers still down at the end. */
  async hold(...fingers: readonly (readonly [from: Finger, to: Finger])[]): Promise<void> {
    for (let step = 0; step <= STEPS; step++) {
      const places = fingers.map(([from, to]) => between(from, to, step / STEPS));
      await this.#send(step === 0 ? 'touchStart' : 'touchMove', places);
    }
  }

  /** Moves the fingers that are down. */
  async move(...fingers: readonly Finger[]): Promise<void> {
    await this.#send('touchMove', fingers);
  }

  async lift(): Promise<void> {
    await this.#send('touchEnd', []);
  }

  async end(): Promise<void> {
    await this.#session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await this.#session.detach();
  }

  async #send(type: 'touchStart' | 'touchMove' | 'touchEnd', fingers: readonly Finger[]): Promise<void> {
    const touchPoints = fingers.map(({ x, y }, id) => ({ x, y, id }));
    await this.#session.send('Input.dispatchTouchEvent', { type, touchPoints });
  }
}

function between(from: Finger, to: Finger, share: number): Finger {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
