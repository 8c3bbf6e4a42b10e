// The rule for the environment of a pod or byoc index: a label without effect, like regions.
import { invalid } from './faults.ts';

const ENVIRONMENT_CHARS_MAX = 128;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/** `path` names the field in messages. @throws invalid-argument */
export function checkEnvironment(environment: string, path: string): string {
  if (environment === '') throw invalid(`${path} must not be empty.`);
  if (environment.length > ENVIRONMENT_CHARS_MAX || !VISIBLE_ASCII.test(environment)) {
    throw invalid(`${path} must consist of at most ${ENVIRONMENT_CHARS_MAX} visible ASCII characters.`);
  }
  return environment;
}
