import { createWatched, type Watched, type WatchedValue } from '../current.ts'
import type { EdgeState } from './edge-wire.ts'

/** The state of all edge threads, as one of them has it: each value by itself. */
export type ReceivedState = { readonly [Key in keyof EdgeState]: Watched<EdgeState[Key]> }

/** What holds at the start, and what takes over changes: they hold when it returns. */
export const receiveState = (
  first: EdgeState,
): { readonly state: ReceivedState; readonly set: (changes: Partial<EdgeState>) => void } => {
  const state: { readonly [Key in keyof EdgeState]: WatchedValue<EdgeState[Key]> } = {
    settings: createWatched(first.settings),
    tokens: createWatched(first.tokens),
    schemas: createWatched(first.schemas),
    filters: createWatched(first.filters),
    certificate: createWatched(first.certificate),
  }
  const take = <Key extends keyof EdgeState>(key: Key, value: EdgeState[Key] | undefined): void => {
    if (value !== undefined) state[key].set(value)
  }
  return {
    state,
    set: ({ settings, tokens, schemas, filters, certificate }) => {
      take('settings', settings)
      take('tokens', tokens)
      take('schemas', schemas)
      take('filters', filters)
      take('certificate', certificate)
    },
  }
}
