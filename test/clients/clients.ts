// All clients that the command knows.
import type { Client } from './client.ts';
import { typescriptSuites } from './typescript/suites.ts';

export const CLIENTS: readonly Client[] = [...typescriptSuites];
