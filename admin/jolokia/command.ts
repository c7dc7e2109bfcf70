import type { Registry } from '../../src/beans/registry.ts'
import type { Access, Caller } from '../access.ts'
import type { Product } from '../product.ts'
import type { JolokiaRequest } from './request.ts'

/** What a command works with. */
export type CommandContext = {
  readonly registry: Registry
  readonly access: Access
  readonly product: Product
  readonly caller: Caller
  /** Counts beans that are read. @throws BeanError `too-many` */
  readonly spend: (beans: number) => void
}

/** Carries out one type of request, and gives the `value` of the answer. */
export type Command = (request: JolokiaRequest, context: CommandContext) => unknown
