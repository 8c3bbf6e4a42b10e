// Drivers of our own in JavaScript: parts of the client, and integrations of frameworks and tools, that have no tests.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, Run, TestResult } from '../client.ts';
import { run, runOrFail } from '../command.ts';
import { readResults } from '../result-lines.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const REDIRECT = fileURLToPath(new URL('../typescript/redirect.cjs', import.meta.url));

interface Driver {
  readonly name: string;
  readonly title: string;
  /** File of the driver, without its ending. */
  readonly driver: string;
  readonly packages: readonly string[];
}

const DRIVERS: readonly Driver[] = [
  {
    name: 'typescript-9-documents',
    title: 'TypeScript 9.0.0: every method of documents',
    driver: 'documents',
    packages: ['@pinecone-database/pinecone@9.0.0'],
  },
  {
    name: 'typescript-8-preview',
    title: 'TypeScript 8.2.0: every method of the preview of documents and of indexes with a schema',
    driver: 'preview',
    packages: ['@pinecone-database/pinecone@8.2.0'],
  },
  {
    name: 'langchain-js',
    title: '@langchain/pinecone 1.0.3: every method of its store',
    driver: 'langchain',
    packages: ['@langchain/pinecone@1.0.3', '@langchain/core@1', '@pinecone-database/pinecone@5.1.2'],
  },
  {
    name: 'mastra',
    title: '@mastra/pinecone 1.1.1: every method of its store',
    driver: 'mastra',
    packages: ['@mastra/pinecone@1.1.1', '@mastra/core@1'],
  },
  {
    name: 'llamaindex-ts',
    title: '@llamaindex/pinecone 0.1.23: every method of its store',
    driver: 'llamaindex',
    packages: [
      '@llamaindex/pinecone@0.1.23',
      '@llamaindex/core@0.6.23',
      '@llamaindex/env@0.1.31',
      '@pinecone-database/pinecone@4',
    ],
  },
  {
    name: 'genkit',
    title: 'genkitx-pinecone 1.42.0: every function of the plugin',
    driver: 'genkit',
    packages: ['genkitx-pinecone@1.42.0', 'genkit@1.42.0'],
  },
  {
    name: 'mcp',
    title: '@pinecone-database/mcp 0.3.0: every tool of the MCP server that works on a database',
    driver: 'mcp',
    packages: ['@pinecone-database/mcp@0.3.0', '@modelcontextprotocol/sdk@1'],
  },
];

export const javascriptDrivers: readonly Client[] = DRIVERS.map(({ name, title, driver, packages }) => ({
  name,
  title,
  needs: ['npm'],
  packages,
  tls: false,
  settings: {},
  exceptions: [],
  install: async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    await runOrFail(['npm', 'install', '--no-audit', '--no-fund', ...packages], { folder, log: 'install' });
  },
  run: (context) => runDriver(driver, context),
}));

/** Modules are found from where a file lies, so the driver is copied to the packages. */
async function runDriver(driver: string, { folder, variables }: Run): Promise<readonly TestResult[]> {
  for (const file of ['harness.mjs', `${driver}.mjs`]) cpSync(join(HERE, file), join(folder, file));
  const words = [process.execPath, '--require', REDIRECT, `${driver}.mjs`];
  return readResults(await run(words, { folder, log: 'tests', env: variables }));
}
