// What people do in the console, done by clicks: each task on the real server, at two widths and in both colors.
//
// `--short` has a wide light page and a narrow dark one. `--only=records,map` runs groups, which set up what they need.
import { after, before, describe } from 'node:test';
import { browserProgram, launch, type View } from './browser.ts';
import { ConsoleFixture } from './fixture.ts';
import { administrationTasks } from './tasks/administration.ts';
import { apiReferenceTasks } from './tasks/api-reference.ts';
import { assistantTasks } from './tasks/assistants.ts';
import { attackTasks } from './tasks/attacks.ts';
import { backupTasks } from './tasks/backups.ts';
import { documentTasks } from './tasks/documents.ts';
import { faultTasks } from './tasks/faults.ts';
import { firstLoadTasks } from './tasks/first-load.ts';
import { indexTasks } from './tasks/indexes.ts';
import { interruptionTasks } from './tasks/interruptions.ts';
import { judgmentTasks } from './tasks/judgments.ts';
import { keyboardTasks } from './tasks/keyboard.ts';
import { liveTasks } from './tasks/live.ts';
import { mapTasks } from './tasks/map.ts';
import { marginTasks } from './tasks/margins.ts';
import { mcpTasks } from './tasks/mcp.ts';
import { projectTasks } from './tasks/projects.ts';
import { providerTasks } from './tasks/provider.ts';
import { recordTasks } from './tasks/records.ts';
import { recoveryTasks } from './tasks/recovery.ts';
import { searchTasks } from './tasks/search.ts';
import { sessionTasks } from './tasks/sessions.ts';
import { signInTasks } from './tasks/sign-in.ts';
import { transferTasks } from './tasks/transfer.ts';

/** In the order of a first visit: each may find what those before it have made. */
const GROUPS: Readonly<Record<string, (on: ConsoleFixture) => void>> = {
  'sign-in': signInTasks,
  search: searchTasks,
  judgments: judgmentTasks,
  records: recordTasks,
  map: mapTasks,
  documents: documentTasks,
  transfer: transferTasks,
  indexes: indexTasks,
  assistants: assistantTasks,
  mcp: mcpTasks,
  live: liveTasks,
  backups: backupTasks,
  recovery: recoveryTasks,
  'first-load': firstLoadTasks,
  attacks: attackTasks,
  sessions: sessionTasks,
  provider: providerTasks,
  faults: faultTasks,
  keyboard: keyboardTasks,
  interruptions: interruptionTasks,
  margins: marginTasks,
  administration: administrationTasks,
  reference: apiReferenceTasks,
  projects: projectTasks,
};
const ALL: readonly View[] = [
  { width: 1280, scheme: 'light' },
  { width: 400, scheme: 'dark' },
  { width: 1280, scheme: 'dark' },
  { width: 400, scheme: 'light' },
];
const SHORT_VIEWS = 2;
const VIEWS = process.argv.includes('--short') ? ALL.slice(0, SHORT_VIEWS) : ALL;
const only = process.argv
  .find((each) => each.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');

const program = browserProgram();
if (program === undefined) {
  process.stdout.write(
    'SKIPPED: no Chromium is installed here; npm run test:console installs it where it may.\n',
  );
} else {
  const browser = await launch(program);
  after(() => browser.close());
  for (const view of VIEWS) {
    describe(`the console at ${view.width} pixels, ${view.scheme}`, () => {
      const fixture = new ConsoleFixture(browser, view);
      before(async () => {
        await fixture.start();
        // The first groups do so themselves.
        if (only?.includes('sign-in') === false) await fixture.signIn();
        if (only?.includes('search') === false) await fixture.samples();
      });
      after(() => fixture.end());
      for (const [name, group] of Object.entries(GROUPS)) if (only?.includes(name) ?? true) group(fixture);
    });
  }
}
