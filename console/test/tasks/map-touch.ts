// The map under fingers: one moves it, two enlarge it, a tap opens a record, and the page stays where it is.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../test/support/until.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { type Finger, Touches } from '../touches.ts';

/** Pixels; the browser may round the places of fingers. */
const TOLERANCE = 2;
/** Of the plane that maps are laid out in. */
const MIDDLE = 32_767.5;

interface View {
  readonly center: Finger;
  readonly scale: number;
}

export function mapTouchTasks(on: ConsoleFixture): void {
  const canvas = () => on.page.locator('.map-canvas');
  const view = async (): Promise<View> => JSON.parse((await canvas().getAttribute('data-view')) ?? '{}');
  const corner = async () => {
    const { x, y, width, height } = (await canvas().boundingBox()) ?? assert.fail('no map');
    return { x, y, width, height, middle: { x: x + width / 2, y: y + height / 2 } };
  };
  /** Waits until the map is drawn as expected. */
  const becomes = (expected: (view: View) => boolean, what: string) =>
    until(async () => expected(await view()), what);
  const showAll = async () => {
    await on.button('All').click();
    await becomes(({ center }) => center.x === center.y && isNear(center.x, MIDDLE), 'the whole map');
  };
  const isNear = (a: number, b: number, tolerance = TOLERANCE) => Math.abs(a - b) <= tolerance;

  it('follows a finger, and leaves the page where it is', async () => {
    await on.open('#/indexes/samples?tab=map');
    await canvas().and(on.page.locator('[data-view]')).waitFor();
    await canvas().scrollIntoViewIfNeeded();
    await showAll();
    const touches = await Touches.on(on.page);
    const scrolled = await on.page.evaluate(() => scrollY);
    const before = await view();
    const { middle } = await corner();
    await touches.drag([middle, { x: middle.x + 60, y: middle.y - 90 }]);
    await becomes(
      ({ center, scale }) =>
        isNear((before.center.x - center.x) * scale, 60) && isNear((before.center.y - center.y) * scale, -90),
      'moved by (60, -90)',
    );
    assert.equal(await on.page.evaluate(() => scrollY), scrolled);
    assert.equal(await canvas().evaluate((each) => getComputedStyle(each).touchAction), 'none');
    assert.equal(await on.page.evaluate(() => getComputedStyle(document.body).touchAction), 'auto');
    await touches.end();
  });

  it('is enlarged and reduced by two fingers around what lies between them', async () => {
    await showAll();
    const touches = await Touches.on(on.page);
    const before = await view();
    const { middle } = await corner();
    const beside = (apart: number): Finger => ({ x: middle.x + apart, y: middle.y });
    await touches.hold([beside(-30), beside(-90)], [beside(30), beside(90)]);
    await becomes(
      ({ center, scale }) =>
        isNear(scale / before.scale, 3, 0.1) && isNear((center.x - before.center.x) * scale, 0, 4),
      'three times as large',
    );
    await touches.lift();
    await showAll();
    await touches.drag([beside(-90), beside(-45)], [beside(90), beside(45)]);
    await becomes(({ scale }) => isNear(scale / before.scale, 0.5, 0.05), 'half as large');
    await showAll();
    await touches.end();
  });

  it('opens a record by a tap near its point', async () => {
    await showAll();
    const { x, y } = await corner();
    const point = await canvas().evaluate(pointOf);
    const touches = await Touches.on(on.page);
    await touches.tap({ x: x + point.x + 8, y: y + point.y });
    await on.page.getByRole('heading', { name: 'Neighbors' }).waitFor();
    await on.button('Close the record').click();
    await touches.end();
    on.visit.assertQuiet();
  });

  it('selects the records around which a finger draws', async () => {
    await on.button('Select').click();
    await canvas().scrollIntoViewIfNeeded();
    const touches = await Touches.on(on.page);
    const { x, y, width, height } = await corner();
    const at = (across: number, down: number): Finger => ({ x: x + across * width, y: y + down * height });
    await touches.hold([at(0.03, 0.03), at(0.97, 0.03)]);
    for (const next of [at(0.97, 0.9), at(0.03, 0.9)]) await touches.move(next);
    await touches.lift();
    const selected = on.page.getByRole('region', { name: 'Selected records' });
    await selected.getByRole('heading', { name: /\d+ selected records/ }).waitFor();
    await selected.getByRole('button', { name: 'Clear' }).click();
    await on.button('Move').click();
    await touches.end();
  });
}

/** Where the canvas shows a point, away from its edges. Runs in the page. */
function pointOf(each: Element): Finger {
  const canvas = each as HTMLCanvasElement;
  const { width, height } = canvas;
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
  for (let y = 60; y < height - 60; y++) {
    for (let x = 60; x < width - 60; x++) {
      const differs = [0, 1, 2].some((part) => pixels[(y * width + x) * 4 + part] !== pixels[part]);
      if (differs) return { x, y };
    }
  }
  throw new Error('the map shows no point');
}
