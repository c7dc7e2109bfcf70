import * as Args from '@oclif/core/args'
import { localCommand, rpcCommand } from '../lib/command.ts'
import { type Shell, shells, toCompletion } from '../lib/completion.ts'
import { type NameKind, nameKinds, readNames } from '../lib/known-names.ts'

/** Whoever types waits for no longer. */
const askMs = 1_000

export const commands = {
  'completion:names': rpcCommand({
    hasJson: false,
    summary: 'Names that a server knows, one in a line, as the completion of a shell asks for them.',
    description: 'Nothing where no server answers within a second.',
    examples: ['sluice completion names beans', 'sluice completion names types'],
    args: {
      kind: Args.custom<NameKind>({})({ options: nameKinds, required: true, description: 'of what' }),
    },
    run: async ({ args, connect }) => {
      const names = await connect(askMs)
        .then(async rpc => await readNames(rpc, args.kind))
        .catch(() => [])
      process.stdout.write(names.map(name => `${name}\n`).join(''))
    },
  }),

  completion: localCommand({
    hasJson: false,
    summary: 'Print a script that completes commands, flags, beans and event types in a shell.',
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
