// Opens the engine that the settings name.
import type { Logger } from '../../http/request-log.ts';
import type { Settings } from '../settings.ts';
import { type EngineSurroundings, type OpenEngine, openEmbeddedEngine } from './open-engine.ts';

export async function openConfiguredEngine(
  settings: Settings,
  logger: Logger,
  surroundings: EngineSurroundings = {},
): Promise<OpenEngine> {
  if (settings.engine === 'embedded') return openEmbeddedEngine(settings, logger, surroundings);
  // Loaded only where it is used.
  const { openPostgresEngine } = await import('./open-postgres-engine.ts');
  return openPostgresEngine(settings, logger, surroundings);
}
