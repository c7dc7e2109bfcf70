import { toBash } from './bash.ts'
import { toFish } from './fish.ts'
import { type CompletionCommand, toPlaces } from './plan.ts'
import { toZsh } from './zsh.ts'

/** Shells that a script can be made for. */
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The script: it contains commands and flags; for some words it asks the server, for at most a second. */
export const toCompletion = (shell: Shell, commands: readonly CompletionCommand[]): string =>
  scripts[shell](toPlaces(commands))

const scripts = { bash: toBash, zsh: toZsh, fish: toFish }
