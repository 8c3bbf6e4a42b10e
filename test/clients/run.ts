// Runs the tests of published clients against the server. Run: npm run test:clients -- NAME
import type { Client } from './client.ts';
import { CLIENTS } from './clients.ts';
import { startServer } from './environment.ts';
import { installed, missingCommands } from './installation.ts';
import { counts, judge } from './verdict.ts';

const names = process.argv.slice(2);
if (names.length === 0) {
  for (const { name, title } of CLIENTS) process.stdout.write(`${name.padEnd(24)} ${title}\n`);
  process.exit(0);
}

const chosen = names.includes('all') ? CLIENTS : names.map(byName);
const bad: string[] = [];
for (const client of chosen) if (!(await isGood(client))) bad.push(client.name);
if (bad.length > 0) process.stdout.write(`\nNot as expected: ${bad.join(', ')}\n`);
process.exit(bad.length > 0 ? 1 : 0);

function byName(name: string): Client {
  const client = CLIENTS.find((one) => one.name === name);
  if (client !== undefined) return client;
  process.stderr.write(`unknown client '${name}'; without a name, the command lists them\n`);
  process.exit(2);
}

async function isGood(client: Client): Promise<boolean> {
  process.stdout.write(`\n${client.title}\n`);
  const missing = missingCommands(client);
  if (missing.length > 0) {
    process.stdout.write(`NOT RUN   this machine has no ${missing.join(', ')}\n`);
    return false;
  }
  const folder = await installed(client);
  const { variables, stop } = await startServer(client);
  try {
    const results = await client.run({ folder, variables });
    const { isGood, lines } = judge(results, client.exceptions);
    for (const line of lines) process.stdout.write(`${line}\n`);
    process.stdout.write(`${client.name}: ${counts(results)}\n`);
    return isGood;
  } finally {
    await stop();
  }
}
