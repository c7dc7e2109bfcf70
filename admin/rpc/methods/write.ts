import { z } from 'zod'
import { defineMethod, nameParam } from '../method.ts'

/** Sets an attribute. */
export const write = defineMethod({
  summary: 'Sets an attribute, and gives its old value. Needs the role operate.',
  params: z.strictObject({
    mbean: nameParam('A name.'),
    attribute: z.string().min(1).max(200),
    value: z.unknown().describe('Of the type that `list` tells.'),
  }),
  result: { description: 'The old value.' },
  run: ({ mbean, attribute, value }, { access, caller }) => access.write(caller, mbean, attribute, value),
})
