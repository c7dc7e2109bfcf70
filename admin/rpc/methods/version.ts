import { z } from 'zod'
import { defineMethod } from '../method.ts'

/** Says what runs. */
export const version = defineMethod({
  summary: 'What runs here.',
  params: z.strictObject({}),
  result: {
    type: 'object',
    required: ['product', 'version', 'node', 'vendor', 'startedAt'],
    properties: {
      product: { const: 'sluice' },
      version: { type: 'string' },
      node: { type: 'string' },
      vendor: { type: 'string', description: 'Domain prefix of bean names.' },
      startedAt: { type: 'integer', description: 'ms since the epoch.' },
    },
  },
  run: (_, { product }) => ({ product: 'sluice', ...product }),
})
