// Sets how V8 compiles, before anything else is loaded; see docs/decisions/017-optimising-compiler.md.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-maglev-osr');
