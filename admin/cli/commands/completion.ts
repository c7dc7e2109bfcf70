import * as Args from '@oclif/core/args'
import type { Command } from '@oclif/core/command'
import * as Flags from '@oclif/core/flags'
import { escapeControls } from '../../../src/text/control-characters.ts'
import { localCommand, serverCommand } from '../command/command.ts'
import { type Shell, shells, toCompletion } from '../completion/completion.ts'
import { type NameKind, nameKinds, readKnownNames, readPaths } from '../completion/known-names.ts'
import type { CompletionCommand } from '../completion/plan.ts'
import { writeOut } from '../print/terminal.ts'

export const commands = {
  'completion:names': serverCommand({
    hasJson: false,
    summary: 'Names that a server knows, one in a line, as the completion of a shell asks for them.',
    description: 'At most 500, and nothing where no server answers in time.',
    examples: ['sluice completion names beans', 'sluice completion names types', 'sluice completion names paths /da'],
    args: {
      kind: Args.custom<NameKind>({})({ options: nameKinds, required: true, description: 'of what' }),
      beginning: Args.string({ default: '', description: 'what a path begins with' }),
    },
    flags: {
      timeout: Flags.integer({
        summary: 'seconds until nothing more is waited for',
        default: 1,
        min: 1,
        max: 60,
        helpValue: 'SECONDS',
      }),
    },
    run: async ({ args: { kind, beginning }, flags, connect, gateway }) => {
      const askMs = flags.timeout * 1_000
      const ask = async (): Promise<readonly string[]> =>
        kind === 'beans' || kind === 'types'
          ? readKnownNames(await connect(askMs), kind)
          : readPaths(await gateway(), beginning, kind === 'paths', AbortSignal.timeout(askMs))
      const names = await ask().catch(() => [])
      writeOut(
        names
          .filter(isPlain)
          .map(name => `${name}\n`)
          .join(''),
      )
    },
  }),

  completion: localCommand({
    hasJson: false,
    summary: 'Print a script that completes commands, flags, beans, event types and remote paths in a shell.',
    examples: [
      { description: 'bash, in ~/.bashrc', command: 'eval "$(sluice completion bash)"' },
      { description: 'zsh, in ~/.zshrc after compinit', command: 'eval "$(sluice completion zsh)"' },
      { description: 'fish', command: 'sluice completion fish > ~/.config/fish/completions/sluice.fish' },
    ],
    args: {
      shell: Args.custom<Shell>({})({ options: shells, required: true, description: 'the shell' }),
    },
    run: async ({ args, config }) => {
      writeOut(toCompletion(args.shell, config.commands.map(toCompletionCommand)))
    },
  }),
}

/** A shell shows names as they are, in the terminal. */
const isPlain = (name: string): boolean => name === escapeControls(name)

const toCompletionCommand = ({ id, summary = '', flags, args }: Command.Loadable): CompletionCommand => ({
  words: id.split(':'),
  summary,
  flags: Object.values(flags).map(flag => ({
    name: flag.name,
    char: flag.char,
    takesValue: flag.type === 'option',
    options: flag.type === 'option' ? (flag.options ?? []) : [],
  })),
  args: Object.values(args).map(({ options = [] }) => options),
})
