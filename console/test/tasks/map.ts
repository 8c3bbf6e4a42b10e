// The map: made by a click, moved by mouse, touch and keys, colored, selected and marked.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../test/support/until.ts';
import type { ConsoleFixture } from '../fixture.ts';
import { mapTouchTasks } from './map-touch.ts';

export function mapTasks(on: ConsoleFixture): void {
  const stage = () => on.page.getByRole('application');
  const shown = async () => Number(await on.page.locator('.map-canvas').getAttribute('data-shown'));
  /** The pixels of the canvas, to tell whether it changed. */
  const picture = () =>
    on.page.locator('.map-canvas').evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const image = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height);
      let hash = 0;
      for (const value of image?.data ?? []) hash = (Math.imul(hash, 31) + value) | 0;
      return hash;
    });
  const changed = (before: number) => until(async () => (await picture()) !== before, 'a change of the map');

  it('makes the map of a namespace, and shows all of its records', async () => {
    await on.open('#/indexes/samples?tab=map');
    const make = on.button('Make the map');
    await make.or(stage()).first().waitFor();
    if ((await make.count()) > 0) await make.click();
    await stage().waitFor();
    await on.page.locator('.map-canvas[data-shown]').waitFor();
    assert.ok((await shown()) > 50, String(await shown()));
  });

  it('colors the records by a field, with what the colors mean', async () => {
    const before = await picture();
    await on.page.getByLabel('Color', { exact: true }).selectOption('topic');
    await on.page.getByRole('list', { name: 'Colors of topic' }).getByText('animals').waitFor();
    await changed(before);
    await on.visit.check('map');
    await on.page.getByLabel('Color', { exact: true }).selectOption('words');
    await on.page.getByRole('list', { name: 'Colors of words' }).waitFor();
    await on.page.getByLabel('Color', { exact: true }).selectOption('topic');
  });

  it('moves by mouse, wheel and keys', async () => {
    await stage().focus();
    for (const act of [
      () => on.page.keyboard.press('+'),
      () => on.page.keyboard.press('ArrowLeft'),
      () => on.page.keyboard.press('0'),
      () =>
        stage()
          .hover()
          .then(() => on.page.mouse.wheel(0, -400)),
      () => on.button('All').click(),
      async () => {
        await stage().hover();
        await on.page.mouse.down();
        await on.page.mouse.move(100, 300, { steps: 4 });
        await on.page.mouse.up();
      },
    ]) {
      const before = await picture();
      await act();
      await changed(before);
    }
    await on.button('All').click();
  });

  it('opens the record in the middle by Enter, and shows it beside the map', async () => {
    await stage().focus();
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('heading', { name: 'Neighbors' }).waitFor();
    await on.visit.check('map-record');
    await on.button('Close the record').click();
  });

  it('selects what is in view, lists it, and clears the selection', async () => {
    await stage().focus();
    await on.page.keyboard.press('s');
    const selected = on.page.getByRole('region', { name: 'Selected records' });
    await selected.getByRole('heading', { name: /\d+ selected records/ }).waitFor();
    assert.ok((await selected.locator('li').count()) > 50);
    await selected.getByRole('button', { name: 'Clear' }).click();
    await selected.waitFor({ state: 'detached' });
  });

  it('selects by drawing around records', async () => {
    await on.button('Select').click();
    await stage().scrollIntoViewIfNeeded();
    const box = (await stage().boundingBox()) ?? assert.fail('no map');
    const at = (x: number, y: number) => [box.x + x * box.width, box.y + y * box.height] as const;
    await on.page.mouse.move(...at(0.02, 0.02));
    await on.page.mouse.down();
    for (const corner of [at(0.98, 0.02), at(0.98, 0.98), at(0.02, 0.98)])
      await on.page.mouse.move(...corner, { steps: 3 });
    await on.page.mouse.up();
    const selected = on.page.getByRole('region', { name: 'Selected records' });
    await selected.getByRole('heading', { name: /\d+ selected records/ }).waitFor();
    await selected.getByRole('button', { name: 'Clear' }).click();
    await on.button('Move').click();
  });

  mapTouchTasks(on);

  it('marks what a search finds', async () => {
    await on.page.getByLabel('Search and mark').fill('colors in the sky');
    await on.button('Mark').click();
    await on.page.getByText(/\d+ of \d+ found are on the map/).waitFor();
    await on.page.getByRole('heading', { name: /\d+ selected records/ }).waitFor();
    await on.visit.check('map-marks');
  });
}
