// What a server that other machines reach must have: TLS, and no key that can be guessed.
import { keyBits } from '../domain/key-strength.ts';
import { isLoopback } from '../http/host-names.ts';
import { SettingsProblem } from './read-settings.ts';
import { SETTINGS, type Settings } from './settings.ts';

export const KEY_BITS_MIN = 128;

/** The settings that let their holder in. */
const SECRETS = ['apiKey', 'adminClientSecret', 'metricsKey', 'nodeSecret'] as const;

type Exposed = Pick<Settings, 'bind' | 'tlsCert' | 'publicUrl' | 'insecure' | (typeof SECRETS)[number]>;

/** Who names an address with https has a proxy that ends TLS in front of this server. */
export function isBehindTls({ publicUrl }: Pick<Settings, 'publicUrl'>): boolean {
  return publicUrl?.startsWith('https:') === true;
}

/**
 * The risks that the operator has accepted by PINYON_INSECURE or an address with https, one sentence each; none on a loopback address.
 * @throws SettingsProblem when there are risks that nobody has accepted
 */
export function acceptedRisks(settings: Exposed): readonly string[] {
  const { bind, tlsCert, insecure } = settings;
  if (isLoopback(bind)) return [];
  const plain = `PINYON_BIND=${bind} serves other machines without TLS: keys and data cross the network readable.`;
  const accepted = tlsCert === null && isBehindTls(settings) ? [plain] : [];
  const risks = [
    ...(tlsCert === null && !isBehindTls(settings) ? [plain] : []),
    ...SECRETS.flatMap((name) => weakness(SETTINGS[name].env, settings[name])),
  ];
  if (risks.length === 0 || insecure) return [...accepted, ...risks];
  throw new SettingsProblem([
    ...risks,
    'Set PINYON_TLS_CERT and PINYON_TLS_KEY, choose random keys, or, where a proxy or a private network protects the ' +
      'server, set PINYON_INSECURE=true.',
  ]);
}

function weakness(env: string, secret: string | null): readonly string[] {
  const bits = secret === null ? KEY_BITS_MIN : keyBits(secret);
  if (bits >= KEY_BITS_MIN) return [];
  return [
    `${env} is weak: by its looks it has ${bits} bits of entropy, of ${KEY_BITS_MIN} that a key needs.`,
  ];
}
