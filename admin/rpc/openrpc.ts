import { z } from 'zod'
import type { Product } from '../protocol.ts'
import { applicationErrors } from './errors.ts'
import type { RpcMethod } from './method.ts'

/** Describes the methods as an OpenRPC 1.3 document, made from what checks their parameters. */
export const toOpenRpc = (methods: ReadonlyMap<string, RpcMethod>, { version }: Product): unknown => ({
  openrpc: '1.3.2',
  info: {
    title: 'Sluice management',
    version,
    description: 'Beans that can be watched and steered by name. Batches of up to 100 calls.',
  },
  methods: Array.from(methods, ([name, { summary, params, result }]) => ({
    name,
    summary,
    paramStructure: 'either',
    params: Object.entries(params.shape).map(([param, type]) => toContentDescriptor(param, type as z.ZodType)),
    result: { name: 'result', schema: result },
    errors: Object.entries(applicationErrors).map(([data, error]) => ({ ...error, data: { code: data } })),
  })),
})

const toContentDescriptor = (name: string, type: z.ZodType): unknown => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' })
  const isOptional = type instanceof z.ZodOptional
  const inner = isOptional ? type.unwrap() : type
  const description = type.description ?? (inner instanceof z.ZodType ? inner.description : undefined)
  return { name, required: !isOptional, schema, ...(description === undefined ? {} : { description }) }
}
