import { z } from 'zod'
import { BeanError } from '../../src/beans/bean-error.ts'
import type { BeanAccess } from '../access.ts'
import type { ProtocolParts } from '../protocol.ts'

/** The context of a call. */
export type RpcContext = Pick<ProtocolParts, 'product' | 'now'> & { readonly beans: BeanAccess }

/** A method: what it takes, gives and does. */
export type RpcMethod = {
  readonly summary: string
  /** In the order in which they may be given by position. */
  readonly params: z.ZodObject
  /** JSON Schema of the result. */
  readonly result: Readonly<Record<string, unknown>>
  readonly run: (params: unknown, context: RpcContext) => unknown
}

/** Declares a method; `run` gets parameters that are checked. */
export const defineMethod = <Params extends z.ZodObject>(method: {
  readonly summary: string
  readonly params: Params
  readonly result: Readonly<Record<string, unknown>>
  readonly run: (params: z.infer<Params>, context: RpcContext) => unknown
}): RpcMethod => ({
  ...method,
  run: (params, context) => {
    const parsed = method.params.safeParse(params)
    if (!parsed.success) throw new BeanError('bad-value', toMessage(parsed.error))
    return method.run(parsed.data, context)
  },
})

/** A bean's name or a pattern, as a parameter. */
export const nameParam = (description: string): z.ZodString => z.string().min(1).max(2_048).describe(description)

const toMessage = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')
