import type { Buffer } from 'node:buffer'
import type { Value } from '../number.ts'
import { toLeafValues } from './leaf-values.ts'
import type { Leaf } from './schema.ts'

/** A bound of a column as a row would have it; undefined if it is missing, or of the wrong length. */
export const readBound = (leaf: Leaf, bound: Buffer | undefined): Value | undefined => {
  if (bound === undefined) return undefined
  const { width = leaf.element.type === 'BOOLEAN' ? 1 : bound.length, fromBytes } = toLeafValues(leaf, false)
  if (bound.length !== width) return undefined
  return fromBytes(bound, new DataView(bound.buffer, bound.byteOffset, bound.byteLength), 0, width)
}
