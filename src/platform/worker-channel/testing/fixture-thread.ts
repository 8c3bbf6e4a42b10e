// A worker thread that serves the fixture's methods; a RangeError ends it.
import { serveParent } from '../serve-parent.ts';
import { FIXTURE_HANDLERS, type FixtureMethods } from './fixture-methods.ts';

serveParent<FixtureMethods>(FIXTURE_HANDLERS, { isFatal: (error) => error instanceof RangeError });
