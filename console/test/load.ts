// Measures the first load of the console on a slow network and a slow processor. Run: npm run bench:console:load
import { machine, table } from '../../bench/support/figures.ts';
import { browserProgram, launch } from './browser.ts';
import { firstLoad, type Throttle } from './first-load.ts';
import { ConsoleFixture } from './fixture.ts';

/** The "Fast 3G" of Chromium's developer tools, whose latency is that of a request and not of a packet. */
const FAST_3G: Throttle = {
  latency: 562.5,
  bytesPerSecond: { down: 180_000, up: 84_375 },
  processor: 4,
};
const SECONDS_MAX = 2.5;
const BYTES_MAX = 100_000;
const ROUNDS = 5;

const PAGES = [
  { name: 'sign-in, first visit', fragment: '', selector: 'input', isSignedIn: false },
  { name: 'indexes', fragment: '', selector: 'tbody a', isSignedIn: true },
  { name: 'records of an index', fragment: '#/indexes/samples', selector: '.row', isSignedIn: true },
  { name: 'search', fragment: '#/search?index=samples', selector: 'form button', isSignedIn: true },
];

const program = browserProgram();
if (program === undefined) process.stdout.write('SKIPPED: no Chromium is installed here.\n');
else await measure(program);

async function measure(browserPath: string): Promise<void> {
  const browser = await launch(browserPath);
  try {
    const figures = [];
    for (const { name, fragment, selector, isSignedIn } of PAGES) {
      const fixture = new ConsoleFixture(browser, { width: 400, scheme: 'light' });
      await fixture.start();
      try {
        if (isSignedIn) {
          await fixture.signIn();
          await fixture.samples();
        }
        const url = `${fixture.service.url}/${fragment}`;
        const loads = [];
        for (let round = 0; round < ROUNDS; round++)
          loads.push(await firstLoad(fixture.page, { url, selector, throttle: FAST_3G }));
        const [quickest] = loads.sort((a, b) => a.usable - b.usable);
        const middle = loads[Math.floor(ROUNDS / 2)];
        if (quickest === undefined || middle === undefined) continue;
        const seconds = (ms: number) => (ms / 1_000).toFixed(2);
        figures.push({
          what: name,
          goal: `<= ${SECONDS_MAX} s, ${BYTES_MAX / 1_000} kB`,
          measured:
            `${seconds(middle.usable)} s (quickest ${seconds(quickest.usable)}), ` +
            `${(middle.bytes / 1_000).toFixed(1)} kB, ${middle.requests} requests, ${middle.roundTrips} round trips`,
          met: middle.usable <= SECONDS_MAX * 1_000 && middle.bytes <= BYTES_MAX,
        });
      } finally {
        await fixture.end();
      }
    }
    console.log(`${machine()}; network "Fast 3G", processor four times slower\n\n${table(figures)}`);
  } finally {
    await browser.close();
  }
}
