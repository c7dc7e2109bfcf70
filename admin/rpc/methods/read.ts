import { z } from 'zod'
import { parseObjectName } from '../../../src/beans/object-name.ts'
import { defineMethod, nameParam } from '../method.ts'

/** Most attributes that one call may name. */
const maxAttributes = 200
const attributeName = z.string().min(1).max(200)

/** Reads attributes of one bean, or of all that match a pattern. */
export const read = defineMethod({
  summary: 'Attributes of a bean, or of all beans that match a pattern; of those, the ones that have them.',
  params: z.strictObject({
    mbean: nameParam('A name or a pattern.'),
    attribute: z
      .union([attributeName, z.array(attributeName).max(maxAttributes)])
      .describe('One name: its value. Several, or none for all: an object by name.')
      .optional(),
  }),
  result: {
    type: 'object',
    required: ['value', 'timestamp'],
    properties: {
      value: { description: 'The value; an object by attribute; with a pattern, an object by bean and attribute.' },
      timestamp: { type: 'integer', description: 'ms since the epoch.' },
    },
  },
  run: ({ mbean, attribute }, { registry, access, caller, now, spend }) => {
    access.checkView(caller)
    const name = parseObjectName(mbean)
    const timestamp = now()
    if (!name.isPattern) {
      spend(1)
      const bean = registry.get(name)
      const value = typeof attribute === 'string' ? access.readOne(bean, attribute) : access.readMany(bean, attribute)
      return { value, timestamp }
    }
    const names = typeof attribute === 'string' ? [attribute] : attribute
    const beans = registry
      .find(name)
      .filter(bean => names === undefined || names.some(one => Object.hasOwn(bean.attributes, one)))
    spend(beans.length)
    const value = Object.fromEntries(beans.map(bean => [bean.name.canonical, access.readMany(bean, names, true)]))
    return { value, timestamp }
  },
})
