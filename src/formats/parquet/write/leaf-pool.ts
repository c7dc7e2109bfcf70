import type { ScalarKind } from '../kind.ts'
import { LeafColumn } from './leaf-column.ts'
import { TextStore } from './text-store.ts'
import { BooleanStore, DoubleStore, LongStore, type ValueStore } from './value-store.ts'

/** Leaves that are kept for the next row group; what a wide one had beyond that is garbage. */
const maxKept = 64

/** Leaves whose memory is used again, row group after row group and file after file. */
export class LeafPool {
  readonly #free = new Map<Storage, LeafColumn[]>()

  take(kind: ScalarKind): LeafColumn {
    const storage = storageOf(kind)
    return this.#free.get(storage)?.pop() ?? new LeafColumn(create[storage]())
  }

  give(kind: ScalarKind, leaf: LeafColumn): void {
    const storage = storageOf(kind)
    let free = this.#free.get(storage)
    if (!free) {
      free = []
      this.#free.set(storage, free)
    }
    if (free.length < maxKept) free.push(leaf)
  }
}

type Storage = 'boolean' | 'long' | 'double' | 'text'

const storageOf = (kind: ScalarKind): Storage => {
  if (kind === 'boolean' || kind === 'double') return kind
  return kind === 'integer' || kind === 'timestamp' ? 'long' : 'text'
}

const create: Readonly<Record<Storage, () => ValueStore>> = {
  boolean: () => new BooleanStore(),
  long: () => new LongStore(),
  double: () => new DoubleStore(),
  text: () => new TextStore(),
}
