import { z } from 'zod'
import { defineMethod, nameParam } from '../method.ts'

/** Gives the names that match a pattern. */
export const search = defineMethod({
  summary: 'Names of the beans that match a pattern, sorted.',
  params: z.strictObject({ pattern: nameParam('An object name with wildcards, such as `*:type=BodyResource,*`.') }),
  result: { type: 'array', items: { type: 'string' } },
  run: ({ pattern }, { registry, access, caller }) => {
    access.checkView(caller)
    return registry.find(pattern).map(({ name }) => name.canonical)
  },
})
