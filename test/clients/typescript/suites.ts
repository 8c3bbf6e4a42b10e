// The TypeScript clients of which the package has the integration tests: 2.2 to 8.2.
import type { Client, KnownException } from '../client.ts';
import { installSuite, runSuite } from './jest.ts';

interface Version {
  readonly name: string;
  readonly version: string;
  /** The release of Jest that the package is developed with. */
  readonly jest: string;
  readonly exceptions: readonly KnownException[];
}

const VERSIONS: readonly Version[] = [
  { name: 'typescript-8', version: '8.2.0', jest: '30.4', exceptions: [] },
  { name: 'typescript-7', version: '7.2.0', jest: '29.7', exceptions: [] },
  { name: 'typescript-6', version: '6.1.4', jest: '29.7', exceptions: [] },
  { name: 'typescript-5', version: '5.1.2', jest: '29.7', exceptions: [] },
  { name: 'typescript-4', version: '4.1.0', jest: '29.7', exceptions: [] },
  { name: 'typescript-3', version: '3.0.3', jest: '29.7', exceptions: [] },
  { name: 'typescript-2', version: '2.2.2', jest: '29.7', exceptions: [] },
];

export const typescriptSuites: readonly Client[] = VERSIONS.map(({ name, version, jest, exceptions }) => {
  const packages = [`@pinecone-database/pinecone@${version}`, `jest@${jest}`, 'dotenv@17.4.2'];
  return {
    name,
    title: `TypeScript ${version}: the integration tests in its package`,
    needs: ['npm'],
    packages,
    tls: false,
    settings: {},
    exceptions,
    install: (folder) => installSuite(folder, packages),
    run: runSuite,
  };
});
