import * as Args from '@oclif/core/args'
import { BaseCommand } from '../lib/base-command.ts'
import { type Shell, shells, toCompletion } from '../lib/completion.ts'

export class Completion extends BaseCommand {
  static override readonly enableJsonFlag = false
  static override readonly summary = 'Print a script that completes commands and flags in a shell.'
  static override readonly examples = [
    { description: 'bash, in ~/.bashrc', command: 'eval "$(sluice completion bash)"' },
    { description: 'zsh, in ~/.zshrc after compinit', command: 'eval "$(sluice completion zsh)"' },
    { description: 'fish', command: 'sluice completion fish > ~/.config/fish/completions/sluice.fish' },
  ]
  static override readonly args = {
    shell: Args.string({ options: [...shells], required: true, description: 'the shell' }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    const commands = this.config.commands.map(({ id, flags, summary }) => ({
      words: id.split(':'),
      flags: Object.keys(flags).map(name => `--${name}`),
      summary: summary ?? '',
    }))
    process.stdout.write(toCompletion(toShell(args.shell), commands))
  }
}

/** oclif has checked it already. */
const toShell = (word: string): Shell => shells.find(shell => shell === word) ?? 'bash'
