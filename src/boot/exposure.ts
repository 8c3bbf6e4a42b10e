// What a server that other machines reach must have: TLS, and no key that can be guessed.
import { keyBits } from '../domain/key-strength.ts';
import { isLoopback } from '../http/host-names.ts';
import { SettingsProblem } from './read-settings.ts';
import type { Settings } from './settings.ts';

export const KEY_BITS_MIN = 128;

type Exposed = Pick<Settings, 'bind' | 'tlsCert' | 'publicUrl' | 'apiKey' | 'insecure'>;

/**
 * The risks that the operator has accepted by PINYON_INSECURE or an address with https, one sentence each; none on a loopback address.
 * @throws SettingsProblem when there are risks that nobody has accepted
 */
export function acceptedRisks(settings: Exposed): readonly string[] {
  const { bind, tlsCert, publicUrl, apiKey, insecure } = settings;
  if (isLoopback(bind)) return [];
  const plain = `PINYON_BIND=${bind} serves other machines without TLS: keys and data cross the network readable.`;
  // Who names an address with https has a proxy that ends TLS in front of this server.
  const isBehindTls = publicUrl?.startsWith('https:') === true;
  const accepted = tlsCert === null && isBehindTls ? [plain] : [];
  const risks = tlsCert === null && !isBehindTls ? [plain] : [];
  if (apiKey !== null && keyBits(apiKey) < KEY_BITS_MIN) {
    risks.push(
      `PINYON_API_KEY is weak: by its looks it has ${keyBits(apiKey)} bits of entropy, of ${KEY_BITS_MIN} that a key needs.`,
    );
  }
  if (risks.length === 0 || insecure) return [...accepted, ...risks];
  throw new SettingsProblem([
    ...risks,
    'Set PINYON_TLS_CERT and PINYON_TLS_KEY, choose a random key, or, where a proxy or a private network protects the ' +
      'server, set PINYON_INSECURE=true.',
  ]);
}
