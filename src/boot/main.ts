// The pinyon program: the service over the embedded engine.
import './runtime-flags.ts';
import { openEmbeddedEngine } from './engine/open-engine.ts';
import { runProgram } from './program.ts';

await runProgram(process.argv.slice(2), openEmbeddedEngine);
