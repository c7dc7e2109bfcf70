import * as Args from '@oclif/core/args'
import { localCommand } from '../lib/command.ts'
import { type Shell, shells, toCompletion } from '../lib/completion.ts'

export const commands = {
  completion: localCommand({
    hasJson: false,
    summary: 'Print a script that completes commands and flags in a shell.',
    examples: [
      { description: 'bash, in ~/.bashrc', command: 'eval "$(sluice completion bash)"' },
      { description: 'zsh, in ~/.zshrc after compinit', command: 'eval "$(sluice completion zsh)"' },
      { description: 'fish', command: 'sluice completion fish > ~/.config/fish/completions/sluice.fish' },
    ],
    args: {
      shell: Args.custom<Shell>({})({ options: shells, required: true, description: 'the shell' }),
    },
    run: async ({ args, config }) => {
      const commands = config.commands.map(({ id, flags, summary }) => ({
        words: id.split(':'),
        flags: Object.keys(flags).map(name => `--${name}`),
        summary: summary ?? '',
      }))
      process.stdout.write(toCompletion(args.shell, commands))
    },
  }),
}
