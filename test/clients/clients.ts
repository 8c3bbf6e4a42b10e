// All clients that the command knows.
import type { Client } from './client.ts';
import { goSuites } from './go/suites.ts';
import { javaDrivers } from './java/drivers.ts';
import { javascriptDrivers } from './javascript/drivers.ts';
import { pythonDrivers } from './python/drivers.ts';
import { pythonFrameworks } from './python/frameworks.ts';
import { rustDrivers } from './rust/drivers.ts';
import { typescriptEveryday } from './typescript/everyday.ts';
import { typescriptSuites } from './typescript/suites.ts';

export const CLIENTS: readonly Client[] = [
  typescriptEveryday,
  ...typescriptSuites,
  ...pythonDrivers,
  ...goSuites,
  ...javaDrivers,
  ...rustDrivers,
  ...pythonFrameworks,
  ...javascriptDrivers,
];
