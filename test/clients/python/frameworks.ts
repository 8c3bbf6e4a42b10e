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
  /** Folder of the tests in it. */
  readonly tests: string;
  readonly beside: readonly string[];
  readonly exceptions: readonly KnownException[];
}

const RERANKING = 'expects the order of a neural reranker; the built-in one goes by words';
const FIXED_ADDRESS = "calls the hosted service's address, which it does not let change";
const LANGCHAIN: readonly KnownException[] = [
  { test: 'integration_tests/test_rerank.py::test_pinecone_rerank_rank_fields_dict', reason: RERANKING },
  {
    test: 'integration_tests/test_rerank.py::test_async_pinecone_rerank_rank_fields_dict',
    reason: RERANKING,
  },
  {
    test: 'integration_tests/test_utilities.py::test_aget_pinecone_supported_models_*',
    reason: FIXED_ADDRESS,
  },
];

const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'langchain',
    title: 'langchain-pinecone 0.2.13: integration tests in its source distribution',
    source: 'langchain-pinecone==0.2.13',
    tests: 'suite/tests/integration_tests',
    beside: [
      'pytest<9',
      'pytest-mock<4',
      'pytest-asyncio<1',
      'pytest-socket<1',
      'freezegun<2',
      'syrupy<5',
      'langchain-tests<2',
    ],
    exceptions: LANGCHAIN,
  },
  {
    name: 'haystack',
    title: 'pinecone-haystack 7.0.0: unit and integration tests in its source distribution',
    source: 'pinecone-haystack==7.0.0',
    tests: 'suite/tests',
    beside: ['pytest<9', 'pytest-asyncio<2'],
    exceptions: [],
  },
];

export const pythonFrameworks: readonly Client[] = FRAMEWORKS.map(({ source, tests, beside, ...rest }) => {
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
    run: (context) => runPytest(tests, context),
  };
});

async function runPytest(tests: string, { folder, variables }: Run): Promise<readonly TestResult[]> {
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
  return readResults(await run([...words, tests], { folder, log: 'tests', env }));
}
