import { commandLoaders } from './command-loaders.ts'

/** All commands, as oclif wants them for help and completion. */
export const commands = Object.fromEntries(
  await Promise.all(Object.entries(commandLoaders).map(async ([id, load]) => [id, await load()] as const)),
)
