// Entry of a reader thread: steps back first, so that loading does not keep the main thread from its start.
import { takePriority } from '../../platform/thread-priority.ts';

takePriority('reader');
await import('./serve-reads.ts');
