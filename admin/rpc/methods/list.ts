import { z } from 'zod'
import { defineMethod, nameParam, toBeanInfo } from '../method.ts'

const defaultLimit = 100
const maxLimit = 1_000

/** Gives beans with what they offer, page by page. */
export const list = defineMethod({
  summary: 'Beans with their attributes and operations, in the order of their names.',
  params: z.strictObject({
    path: nameParam(
      'A name, a pattern, or a domain with or without properties behind a slash; all without it.',
    ).optional(),
    limit: z.int().min(1).max(maxLimit).describe(`Beans per page; ${defaultLimit} without it.`).optional(),
    after: nameParam('`next` of the page before.').optional(),
  }),
  result: {
    type: 'object',
    required: ['beans'],
    properties: {
      beans: {
        type: 'array',
        items: { type: 'object', required: ['mbean', 'description', 'attributes', 'operations'] },
      },
      next: { type: 'string', description: 'Where the next page begins; absent on the last.' },
    },
  },
  run: ({ path, limit = defaultLimit, after }, { registry, access, caller }) => {
    access.checkView(caller)
    const { beans, next } = registry.page({
      limit,
      ...(path === undefined ? {} : { pattern: toPattern(path) }),
      ...(after === undefined ? {} : { after }),
    })
    return { beans: beans.map(toBeanInfo), ...(next === undefined ? {} : { next }) }
  },
})

/** `domain`, `domain/properties` and `domain:properties` mean beans; `*` stands for any. */
const toPattern = (path: string): string => {
  if (path.includes(':')) return path
  const slash = path.indexOf('/')
  return slash < 0 ? `${path}:*` : `${path.slice(0, slash)}:${path.slice(slash + 1)}`
}
