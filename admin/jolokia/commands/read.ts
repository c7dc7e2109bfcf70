import type { Bean } from '../../../src/beans/bean.ts'
import { BeanError } from '../../../src/beans/bean-error.ts'
import { parseObjectName } from '../../../src/beans/object-name.ts'
import type { Access } from '../../access.ts'
import type { Command } from '../command.ts'
import { toErrorMembers } from '../errors.ts'
import { extract } from '../path.ts'

/** Attributes of one bean, or of all that match a pattern and have them. */
export const read: Command = ({ mbean = '', attribute, path = [], options }, { registry, access, caller, spend }) => {
  access.checkView(caller)
  const name = parseObjectName(mbean)
  if (!name.isPattern) {
    spend(1)
    const bean = registry.get(name)
    const value =
      typeof attribute === 'string'
        ? access.readOne(bean, attribute)
        : readMany(access, bean, attribute, options.ignoreErrors)
    return extract(value, path)
  }
  const names = typeof attribute === 'string' ? [attribute] : attribute
  const beans = registry
    .find(name)
    .filter(bean => names === undefined || names.some(one => Object.hasOwn(bean.attributes, one)))
  if (beans.length === 0) throw new BeanError('bean-not-found', `No bean with such attributes matches ${mbean}`)
  spend(beans.length)
  const value = Object.fromEntries(beans.map(bean => [bean.name.canonical, access.readMany(bean, names, true)]))
  return extract(value, path)
}

const readMany = (
  access: Access,
  bean: Bean,
  names: readonly string[] = Object.keys(bean.attributes),
  ignoresErrors: boolean,
): unknown => {
  if (!ignoresErrors) return access.readMany(bean, names)
  return Object.fromEntries(
    names.map(name => {
      try {
        return [name, access.readOne(bean, name)]
      } catch (error) {
        return [name, `ERROR: ${toErrorMembers(error).error}`]
      }
    }),
  )
}
