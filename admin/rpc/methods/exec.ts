import { z } from 'zod'
import { defineMethod, nameParam } from '../method.ts'

/** Most arguments of a call; no operation takes more. */
const maxArguments = 20

/** Runs an operation. */
export const exec = defineMethod({
  summary: 'Runs an operation, and gives what it returns. Needs the role operate.',
  params: z.strictObject({
    mbean: nameParam('A name.'),
    operation: z.string().min(1).max(200),
    arguments: z.array(z.unknown()).max(maxArguments).describe('As many as `list` tells; none without it.').optional(),
  }),
  result: { description: 'What the operation returned: what it did or changed.' },
  run: ({ mbean, operation, arguments: args = [] }, { access, caller }) => access.exec(caller, mbean, operation, args),
})
