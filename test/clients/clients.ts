// All clients that the command knows.
import type { Client } from './client.ts';
import { goSuites } from './go/suites.ts';
import { pythonDrivers } from './python/drivers.ts';
import { pythonFrameworks } from './python/frameworks.ts';
import { typescriptSuites } from './typescript/suites.ts';

export const CLIENTS: readonly Client[] = [
  ...typescriptSuites,
  ...pythonDrivers,
  ...goSuites,
  ...pythonFrameworks,
];
