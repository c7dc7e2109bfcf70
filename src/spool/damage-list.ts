import type { Damage } from './ledger-state.ts'

/** Pieces in quarantine that could not be turned into bucket files, and what stands in them. */
export type DamageList = {
  add(pieces: readonly Damage[]): void
  /** Somebody took care of the piece; one that is not there is fine. */
  resolve(file: string): void
  has(file: string): boolean
  get(file: string): Damage | undefined
  values(): readonly Damage[]
  readonly size: number
  /** In all of them, as far as that is known. */
  readonly events: number
}

export const createDamageList = (): DamageList => {
  // By name: several pieces of one name count one by one, as they are noted.
  const byFile = new Map<string, Damage[]>()
  let size = 0
  let events = 0
  return {
    add: pieces => {
      for (const piece of pieces) {
        const same = byFile.get(piece.file)
        if (same) same.push(piece)
        else byFile.set(piece.file, [piece])
        size++
        events += piece.events
      }
    },
    resolve: file => {
      const same = byFile.get(file)
      const piece = same?.shift()
      if (!same || !piece) return
      if (same.length === 0) byFile.delete(file)
      size--
      events -= piece.events
    },
    has: file => byFile.has(file),
    get: file => byFile.get(file)?.at(-1),
    values: () => [...byFile.values()].flat(),
    get size() {
      return size
    },
    get events() {
      return events
    },
  }
}
