// Entries of the table: commands for the command line itself.
import type { Command } from '../command.ts';

export const shellCommands: readonly Command[] = [
  {
    path: 'completion',
    summary: 'Print the completion script of a shell',
    arguments: 'SHELL',
    about:
      'Prints a script that completes commands, options, file names, and names of indexes, assistants and profiles. ' +
      'SHELL is bash, zsh or fish.',
    examples: [
      'source <(pinyon completion bash)                                       # in ~/.bashrc',
      'source <(pinyon completion zsh)                                        # in ~/.zshrc, after compinit',
      'pinyon completion fish > ~/.config/fish/completions/pinyon.fish',
    ],
    partner: 'files',
    run: async (words, io) => (await import('../commands/completion.ts')).completion(words, io),
  },
];
