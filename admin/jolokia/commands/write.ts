import type { Command } from '../command.ts'
import { JolokiaError } from '../errors.ts'

/** Sets an attribute, and gives its old value. */
export const write: Command = ({ mbean = '', attribute, path, value }, { access, caller }) => {
  if (typeof attribute !== 'string') throw JolokiaError.illegal('attribute: expected one name')
  if (path !== undefined) throw JolokiaError.illegal('path: attributes are written as a whole')
  return access.write(caller, mbean, attribute, value)
}
