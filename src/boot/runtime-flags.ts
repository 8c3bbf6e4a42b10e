// Sets how V8 compiles, before anything else is loaded; see docs/decisions/001-runtime.md.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-maglev-osr');
