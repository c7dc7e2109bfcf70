import type { Field } from '../../clients/tracker/index.ts'
import type { Draw } from './draw.ts'
import type { Shop } from './shop.ts'

/** What an event is made from. */
export type Making = Draw & {
  readonly shop: Shop
  /** From 0 up to 1: how much of the hour has gone by. */
  readonly passed: number
}

/** A type of event, and the API by which it is sent. */
export type EventType = {
  readonly name: string
  /** Its frequency, relative to the others. */
  readonly weight: number
} & (
  | { readonly way: 'json' | 'smile'; readonly payload: (making: Making) => Readonly<Record<string, unknown>> }
  | { readonly way: 'get1' | 'get2' | 'scribe'; readonly fields: (making: Making) => readonly Field[] }
)
