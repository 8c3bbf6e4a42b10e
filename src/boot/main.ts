// The pinyon program: the service over the engine that the settings name.
import './runtime-flags.ts';
import { openConfiguredEngine } from './engine/open-configured-engine.ts';
import { runProgram } from './program.ts';

await runProgram(process.argv.slice(2), openConfiguredEngine);
