/** Bytes or events that could not be turned into bucket files, kept in `_quarantine/` for a person to look at. */
export type Damage = {
  readonly file: string
  readonly bytes: number
  /** Events in it, as far as that is known. */
  readonly events: number
  readonly reason: string
  /** The bytes are nowhere: there is nothing in quarantine. @default false */
  readonly lost?: boolean | undefined
  /** The rest of a write that a crash interrupted: the beginning of one record, never acknowledged. @default false */
  readonly torn?: boolean | undefined
  /** Nothing of it is in a file: it could not be read. @default false: of its records some events may be in files */
  readonly withheld?: boolean | undefined
  /** Types whose events in it are in no file because their table refused them, with all of their segment. @default none */
  readonly refused?: readonly string[] | undefined
}

/** Pieces in quarantine that could not be turned into bucket files, and lost segments, with their contents. */
export type DamageList = {
  add(pieces: readonly Damage[]): void
  /** An operator took care of the piece; a missing one is fine. */
  resolve(file: string): void
  has(file: string): boolean
  get(file: string): Damage | undefined
  values(): readonly Damage[]
  /** Of what is in quarantine. */
  readonly size: number
  /** In all of those, as far as that is known. */
  readonly events: number
  readonly bytes: number
  /** Names of what is lost, and the events in it as far as that is known. */
  readonly lost: { readonly files: readonly string[]; readonly events: number }
}

export const createDamageList = (): DamageList => {
  // By name: several pieces of one name count one by one, as they are noted.
  const byFile = new Map<string, Damage[]>()
  let size = 0
  let events = 0
  let bytes = 0
  const lost = new Set<string>()
  let lostEvents = 0
  const count = (piece: Damage, sign: 1 | -1): void => {
    if (!piece.lost) {
      size += sign
      events += sign * piece.events
      bytes += sign * piece.bytes
      return
    }
    lostEvents += sign * piece.events
    if (sign > 0) lost.add(piece.file)
    else lost.delete(piece.file)
  }
  return {
    add: pieces => {
      for (const piece of pieces) {
        const same = byFile.get(piece.file)
        if (same) same.push(piece)
        else byFile.set(piece.file, [piece])
        count(piece, 1)
      }
    },
    resolve: file => {
      const same = byFile.get(file)
      const piece = same?.shift()
      if (!same || !piece) return
      if (same.length === 0) byFile.delete(file)
      count(piece, -1)
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
    get bytes() {
      return bytes
    },
    get lost() {
      return { files: [...lost], events: lostEvents }
    },
  }
}
