import type { ScalarKind } from '../kind.ts'
import { LeafColumn } from './leaf-column.ts'
import { TextStore } from './text-store.ts'
import { BooleanStore, DoubleStore, LongStore, MicrosStore, type ValueStore } from './value-store.ts'

/** Leaves that are kept for the next row group; what a wide one had beyond that is garbage. */
const maxKept = 64

/** What times are in: those that are put in are in ms, whatever they are written as. */
export type TimesAs = 'millis' | 'micros'

/** Leaves whose memory is used again, row group after row group and file after file. */
export class LeafPool {
  readonly #free = new Map<Storage, LeafColumn[]>()

  take(kind: ScalarKind, times: TimesAs): LeafColumn {
    const storage = storageOf(kind, times)
    return this.#free.get(storage)?.pop() ?? new LeafColumn(create[storage]())
  }

  give(kind: ScalarKind, leaf: LeafColumn, times: TimesAs): void {
    const storage = storageOf(kind, times)
    let free = this.#free.get(storage)
    if (!free) {
      free = []
      this.#free.set(storage, free)
    }
    if (free.length < maxKept) free.push(leaf)
  }
}

type Storage = 'boolean' | 'long' | 'micros' | 'double' | 'text'

const storageOf = (kind: ScalarKind, times: TimesAs): Storage => {
  if (kind === 'boolean' || kind === 'double') return kind
  if (kind === 'timestamp' && times === 'micros') return times
  return kind === 'integer' || kind === 'timestamp' ? 'long' : 'text'
}

const create: Readonly<Record<Storage, () => ValueStore>> = {
  boolean: () => new BooleanStore(),
  long: () => new LongStore(),
  micros: () => new MicrosStore(),
  double: () => new DoubleStore(),
  text: () => new TextStore(),
}
