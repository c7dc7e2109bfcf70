/** Deletions that are remembered, and the characters of all their paths: the oldest are forgotten first. */
export const maxUndos = 1_000
export const maxUndoChars = 8_000_000

/** What a form has moved to the trash. */
export type Moved = { readonly path: string; readonly trashed: string }

type Entry = { readonly owner: string; readonly moves: readonly Moved[]; readonly chars: number }

/** What forms have moved to the trash lately, to be moved back as one. It forgets all when the process ends. */
export type UndoMemory = {
  /** @returns a key that cannot be guessed */
  add(owner: string, moves: readonly Moved[]): string
  /** What is left to be moved back; undefined for what is forgotten, or belongs to another. */
  find(key: string, owner: string): readonly Moved[] | undefined
  /** Remembers what is left of it; forgets it where nothing is. */
  leave(key: string, moves: readonly Moved[]): void
}

export const createUndoMemory = (): UndoMemory => {
  const entries = new Map<string, Entry>()
  let chars = 0
  const remove = (key: string): void => {
    chars -= entries.get(key)?.chars ?? 0
    entries.delete(key)
  }
  const put = (key: string, owner: string, moves: readonly Moved[]): void => {
    remove(key)
    if (moves.length === 0) return
    const own = moves.reduce((sum, { path, trashed }) => sum + path.length + trashed.length, 0)
    entries.set(key, { owner, moves, chars: own })
    chars += own
    for (const oldest of entries.keys()) {
      if (entries.size <= maxUndos && chars <= maxUndoChars) break
      remove(oldest)
    }
  }
  return {
    add: (owner, moves) => {
      const key = crypto.randomUUID()
      put(key, owner, moves)
      return key
    },
    find: (key, owner) => {
      const entry = entries.get(key)
      return entry?.owner === owner ? entry.moves : undefined
    },
    leave: (key, moves) => put(key, entries.get(key)?.owner ?? '', moves),
  }
}
