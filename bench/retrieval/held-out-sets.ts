// Three more test sets, on which no weight was fitted: questions of two FAQs, and sections of a policy.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Pair, type RetrievalSet, setOf, unambiguous } from './sets.ts';

const PASSAGE_LENGTH_MAX = 900;
const PASSAGE_LENGTH_MIN = 80;

/** Those of the sets whose files were fetched (see fetch-manual-pages.ts). */
export function heldOutSets(folder: string): readonly RetrievalSet[] {
  return [
    setFrom('questions about Perl', perlQuestions(folder)),
    setFrom('questions about Debian', debianQuestions(folder)),
    setFrom('sections of a policy', policySections(folder)),
  ].filter(({ queries }) => queries.length > 0);
}

function setFrom(name: string, pairs: readonly Pair[]): RetrievalSet {
  const long = pairs.map(({ query, passage }) => ({
    query: query.replace(/\s+/g, ' ').trim(),
    passage: passage.trim().slice(0, PASSAGE_LENGTH_MAX),
  }));
  return setOf(name, unambiguous(long.filter(({ passage }) => passage.length >= PASSAGE_LENGTH_MIN)));
}

/** Headings of Perl's FAQ, and the text below each. */
function perlQuestions(folder: string): readonly Pair[] {
  const files = globSync('usr/share/perl/*/pod/perlfaq[1-9].pod', { cwd: folder }).sort();
  return files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split(/^=head2 /m)
      .slice(1)
      .map((section) => {
        const [query = '', ...lines] = section.split('\n');
        const text = lines.filter((line) => !line.startsWith('=')).join('\n');
        return { query: plainPod(query), passage: plainPod(text) };
      }),
  );
}

/** Pod's marks: `C<code>`, `L<text|target>`. */
function plainPod(text: string): string {
  return text.replace(
    /[A-Z]<(?:([^<>|]*)\|)?([^<>]*)>/g,
    (_, shown?: string, whole?: string) => shown ?? whole ?? '',
  );
}

/** Numbered questions of Debian's FAQ, and the text below each. */
function debianQuestions(folder: string): readonly Pair[] {
  return numberedSections(join(folder, 'usr/share/doc/debian/FAQ/debian-faq.en.txt.gz')).filter(({ query }) =>
    query.endsWith('?'),
  );
}

/** Numbered headings of Debian's policy, and the text below each. */
function policySections(folder: string): readonly Pair[] {
  return numberedSections(join(folder, 'usr/share/doc/debian-policy/policy.txt.gz'));
}

/** A heading ends with a blank line or a line that underlines it. */
function numberedSections(file: string): readonly Pair[] {
  if (!existsSync(file)) return [];
  const sections = gunzipSync(readFileSync(file))
    .toString('utf8')
    .split(/\n(?=\d+\.\d+\.(?:\d+\.)*\s)/);
  return sections.slice(1).map((section) => {
    const [head = '', ...rest] = section.split(/\n(?:[ \t]*|=+|-+|~+|"+)\n/);
    return { query: head.replace(/^[\d.]+\s+/, '').replace(/\s+/g, ' '), passage: rest.join('\n\n') };
  });
}
