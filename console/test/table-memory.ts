// What the table keeps in the browser while somebody goes from page to page: bytes of script, and nodes of the document.
// Started by bench/console/figures.ts: node console/test/table-memory.ts ADDRESS KEY INDEX PAGES
import type { CDPSession } from 'playwright-core';
import { browserProgram, launch, Visit } from './browser.ts';

const [address = '', key = '', index = '', pages = '200'] = process.argv.slice(2);
const LOOKS = 5;

interface Kept {
  readonly page: number;
  readonly heap: number;
  readonly nodes: number;
}

const program = browserProgram();
if (program === undefined)
  console.log('SKIPPED: no Chromium is installed here, so memory of the browser is not measured.');
else {
  const browser = await launch(program);
  try {
    const { page } = await Visit.open(browser, { width: 1280, scheme: 'light' });
    await page.goto(address);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await page.goto(`${address}/#/indexes/${index}`);
    await page.locator('.row').first().waitFor();
    const session = await page.context().newCDPSession(page);
    const kept: Kept[] = [];
    for (let at = 1; at <= Number(pages); at++) {
      // To the end of the page, so that all of its rows have been in the document.
      await page.locator('.rows').evaluate((rows) => rows.scrollTo({ top: rows.scrollHeight }));
      await page.getByRole('button', { name: 'Next', exact: true }).click();
      await page.getByText(new RegExp(`^Page ${(at + 1).toLocaleString('en-US')},`)).waitFor();
      if (at % Math.ceil(Number(pages) / LOOKS) === 0) kept.push({ page: at, ...(await measured(session)) });
    }
    console.log('\n| pages passed | heap of the page | nodes of the document |\n|---|---|---|');
    for (const { page: at, heap, nodes } of kept)
      console.log(`| ${at} | ${(heap / 2 ** 20).toFixed(2)} MiB | ${nodes} |`);
  } finally {
    await browser.close();
  }
}

async function measured(session: CDPSession): Promise<Omit<Kept, 'page'>> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  return { heap: usedSize, nodes };
}
