// Compares what is mapped from derived files with its checksums while it is in use: what is damaged may hide records from
// searches, but gives none a wrong score.
import type { Snapshot } from '../storage/derived-files/read-header.ts';
import type { CodeVerifier } from './code-verifier.ts';

interface OfGeneration {
  readonly generation: string;
}

interface Verified {
  /** In memory. */
  readonly namespace: OfGeneration;
  isDamaged: boolean;
  readonly ending: AbortController;
}

export class CodeVerification {
  /** What is not verified yet, or damaged, by the generation of its namespace. */
  readonly #doubtful = new Map<string, Verified>();
  readonly #verifier: CodeVerifier;
  #isEnded = false;

  constructor(verifier: CodeVerifier) {
    this.#verifier = verifier;
  }

  /**
   * Verifies the codes of a namespace in the background. Never rejects. Of files that are gone nothing can be compared:
   * it is saved anew.
   * @param mapped the files that they are mapped from
   * @param onDamage called once the generation is known to be damaged
   */
  async begin(namespace: OfGeneration, mapped: readonly Snapshot[], onDamage: () => void): Promise<void> {
    const { generation } = namespace;
    this.#doubtful.get(generation)?.ending.abort();
    const own: Verified = { namespace, isDamaged: false, ending: new AbortController() };
    this.#doubtful.set(generation, own);
    if (this.#isEnded) own.ending.abort();
    try {
      for (const file of mapped) {
        if ((await this.#verifier.verify(file, own.ending.signal)) !== 'damaged') continue;
        own.isDamaged = true;
        onDamage();
        return;
      }
      if (this.#doubtful.get(generation) === own) this.#doubtful.delete(generation);
    } catch {
      // The next load compares them.
    }
  }

  /** True while nothing may be saved of a generation: it would get new checksums. */
  isDoubtful(generation: string): boolean {
    return this.#doubtful.has(generation);
  }

  isDamaged(generation: string): boolean {
    return this.#doubtful.get(generation)?.isDamaged ?? false;
  }

  /** Call when a namespace leaves memory. No effect on a later load of its generation. */
  forget(namespace: OfGeneration): void {
    const own = this.#doubtful.get(namespace.generation);
    if (own?.namespace !== namespace) return;
    own.ending.abort();
    this.#doubtful.delete(namespace.generation);
  }

  /** Leaves what is not verified yet, now and later, to the next start: a stop must not wait for it. */
  end(): void {
    this.#isEnded = true;
    for (const { ending } of this.#doubtful.values()) ending.abort();
  }
}
