// The same program over the reference engine, for `npm run test:reference`.
import './runtime-flags.ts';
import { openReferenceEngine } from './engine/open-reference-engine.ts';
import { runProgram } from './program.ts';

await runProgram(process.argv.slice(2), openReferenceEngine);
