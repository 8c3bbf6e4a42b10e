// The Python client and llama-index's store: their packages have no tests, so drivers of our own call every public method.
import { fileURLToPath } from 'node:url';
import type { Client, Run, TestResult } from '../client.ts';
import { run } from '../command.ts';
import { readResults } from '../result-lines.ts';
import { installPackages, python } from './pip.ts';

const DRIVERS = fileURLToPath(new URL('./driver/', import.meta.url));

interface Version {
  readonly name: string;
  readonly version: string;
}

const VERSIONS: readonly Version[] = [
  { name: 'python-10', version: '10.2.0' },
  { name: 'python-9', version: '9.0.1' },
];

const clients: readonly Client[] = VERSIONS.map(({ name, version }) => {
  const packages = [`pinecone==${version}`, 'pandas'];
  return {
    name,
    title: `Python ${version}: every method, synchronous, asynchronous, over gRPC and of administration`,
    needs: ['python3', 'openssl'],
    packages,
    tls: true,
    settings: {},
    exceptions: [],
    install: (folder) => installPackages(folder, packages),
    run: (context) => runDriver('main.py', context),
  };
});

const LLAMA_INDEX = ['llama-index-vector-stores-pinecone==0.9.0'];

const llamaIndex: Client = {
  name: 'llama-index',
  title: 'llama-index-vector-stores-pinecone 0.9.0: every method of its store',
  needs: ['python3'],
  packages: LLAMA_INDEX,
  tls: false,
  settings: {},
  exceptions: [],
  install: (folder) => installPackages(folder, LLAMA_INDEX),
  run: (context) => runDriver('llamaindex.py', context),
};

export const pythonDrivers: readonly Client[] = [...clients, llamaIndex];

async function runDriver(file: string, { folder, variables }: Run): Promise<readonly TestResult[]> {
  // Without it, evaluations go to a fixed host.
  const env = { ...variables, PINECONE_PLUGIN_ASSISTANT_DATA_HOST: variables.PINYON_URL ?? '' };
  return readResults(await run([python(folder), `${DRIVERS}${file}`], { folder, log: 'tests', env }));
}
