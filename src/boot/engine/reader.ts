// Entry of a reader thread: steps back first, so that loading does not keep the main thread from its start.
import { resolveByAddress } from '../../platform/module-resolution.ts';
import { takePriority } from '../../platform/thread-priority.ts';

takePriority('reader');
resolveByAddress();
await import('./serve-reads.ts');
