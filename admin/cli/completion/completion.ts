import { toBash } from './bash.ts'
import { toFish } from './fish.ts'
import { type CompletionCommand, toPlaces } from './plan.ts'
import { toZsh } from './zsh.ts'

/** Shells that a script can be made for. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The script: commands and flags stand in it; behind some the server is asked, and for a second at most. */
export const toCompletion = (shell: Shell, commands: readonly CompletionCommand[]): string =>
  scripts[shell](toPlaces(commands))

const scripts = { bash: toBash, zsh: toZsh, fish: toFish }
