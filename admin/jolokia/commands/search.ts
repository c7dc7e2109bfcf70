import type { Command } from '../command.ts'

/** Names that match a pattern. */
export const search: Command = ({ mbean = '' }, { registry, access, caller }) => {
  access.checkView(caller)
  return registry.find(mbean).map(({ name }) => name.canonical)
}
