// Entries of the table: commands for the command line itself.
import type { Command } from '../command.ts';

export const shellCommands: readonly Command[] = [
  {
    path: 'profile add',
    summary: 'Store the address and the credentials of a server under a name',
    arguments: 'NEW_PROFILE',
    about:
      'Writes to $XDG_CONFIG_HOME/pinyon/profiles.json, by default in ~/.config, which only you can read. Without ' +
      '--api-key, reads the key from a pipe or asks for it; with --client-id and without --client-secret, the secret. The ' +
      'first profile becomes the current one. One of the same name is replaced, and keeps what is not given again where ' +
      'its address stays.',
    options: {
      url: { value: 'URL', isRequired: true, about: 'Base address of the server' },
      'api-key': { value: 'KEY', about: 'API key; an option stays in the history of the shell' },
      'client-id': { value: 'ID', about: 'Client id of a service account, for administration' },
      'client-secret': { value: 'SECRET', about: 'Its secret' },
      ca: { value: 'FILE', about: 'Certificates to trust beside the known ones, as PEM' },
    },
    examples: ['pinyon profile add work --url https://vectors.example.org < key.txt'],
    partner: 'files',
    run: async (words, io) => (await import('../commands/profile.ts')).addProfile(words, io),
  },
  {
    path: 'profile list',
    summary: 'List the profiles, without their secrets',
    partner: 'files',
    run: async (words, io) => (await import('../commands/profile.ts')).listProfiles(words, io),
  },
  {
    path: 'profile use',
    summary: 'Make a profile the current one',
    arguments: 'PROFILE',
    partner: 'files',
    run: async (words, io) => (await import('../commands/profile.ts')).useProfile(words, io),
  },
  {
    path: 'profile remove',
    summary: 'Remove a profile',
    arguments: 'PROFILE',
    partner: 'files',
    run: async (words, io) => (await import('../commands/profile.ts')).removeProfile(words, io),
  },
  {
    path: 'completion',
    summary: 'Print the completion script of a shell',
    arguments: 'SHELL',
    about:
      'Prints a script that completes commands, options, file names, and names of indexes, assistants and profiles. ' +
      'SHELL is bash, zsh or fish.',
    examples: [
      'eval "$(pinyon completion bash)"   # in ~/.bashrc',
      'eval "$(pinyon completion zsh)"    # in ~/.zshrc, after compinit',
      'pinyon completion fish > ~/.config/fish/completions/pinyon.fish',
    ],
    partner: 'files',
    run: async (words, io) => (await import('../commands/completion.ts')).completion(words, io),
  },
];
