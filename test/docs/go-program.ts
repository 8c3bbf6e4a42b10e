// Makes one Go program of blocks and samples, which are statements without the lines around them.

export interface GoPart {
  readonly name: string;
  readonly code: string;
}

const DECLARED = /^([\w, ]+) :=/gm;

/** Each part becomes a function, which ends the program when its last error is not nil. */
export function goProgram(parts: readonly GoPart[]): string {
  const functions = parts.map(({ name, code }, at) => {
    const names = new Set([...code.matchAll(DECLARED)].flatMap(([, list = '']) => list.split(/, */)));
    const used = [...names].map((each) => `\t_ = ${each}`).join('\n');
    return `// ${name}\nfunc part${at}(ctx context.Context) {\n${code}\n${used}\n\tif err != nil {\n\t\tlog.Fatalf("%s: %v", ${JSON.stringify(name)}, err)\n\t}\n}\n`;
  });
  const calls = parts.map((_, at) => `\tpart${at}(ctx)`).join('\n');
  return `package main

import (
\t"context"
\t"fmt"
\t"log"

\t"github.com/pinecone-io/go-pinecone/v5/pinecone"
)

${functions.join('\n')}
func main() {
\tctx := context.Background()
${calls}
\tfmt.Println("done")
}
`;
}
