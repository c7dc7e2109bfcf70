import type { Command } from '../command.ts'

/** Runs an operation; a signature behind its name, as in `addPattern(java.lang.String)`, is left aside. */
export const exec: Command = ({ mbean = '', operation = '', arguments: args = [] }, { access, caller }) =>
  access.exec(caller, mbean, operation.replace(/\([^()]*\)$/, ''), args)
