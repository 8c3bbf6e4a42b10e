// Integrations of frameworks whose source distributions have tests: LangChain and Haystack.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, KnownException, Run, TestResult } from '../client.ts';
import { run } from '../command.ts';
import { readResults } from '../result-lines.ts';
import { installPackages, python, unpackSource } from './pip.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

interface Framework {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly beside: readonly string[];
  readonly exceptions: readonly KnownException[];
}

const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'langchain',
    title: 'langchain-pinecone 0.2.13: unit and integration tests in its source distribution',
    source: 'langchain-pinecone==0.2.13',
    beside: [
      'pytest<9',
      'pytest-mock<4',
      'pytest-asyncio<1',
      'pytest-socket<1',
      'freezegun<2',
      'syrupy<5',
      'langchain-tests<2',
    ],
    exceptions: [],
  },
  {
    name: 'haystack',
    title: 'pinecone-haystack 7.0.0: unit and integration tests in its source distribution',
    source: 'pinecone-haystack==7.0.0',
    beside: ['pytest<9', 'pytest-asyncio<2'],
    exceptions: [],
  },
];

export const pythonFrameworks: readonly Client[] = FRAMEWORKS.map(({ source, beside, ...rest }) => {
  const packages = [source, ...beside];
  return {
    ...rest,
    needs: ['python3'],
    packages,
    tls: false,
    settings: {},
    install: async (folder) => {
      await installPackages(folder, packages);
      await unpackSource(folder, source);
    },
    run: runPytest,
  };
});

async function runPytest({ folder, variables }: Run): Promise<readonly TestResult[]> {
  const words = [
    python(folder),
    '-m',
    'pytest',
    '-q',
    '-s',
    '-p',
    'plugin',
    '-o',
    'addopts=',
    '-o',
    'asyncio_mode=auto',
  ];
  const env = { ...variables, PYTHONPATH: HERE };
  return readResults(await run([...words, 'suite/tests'], { folder, log: 'tests', env }));
}
