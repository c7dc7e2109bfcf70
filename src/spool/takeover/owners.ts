/**
 * Names in `_log` and in `_tmp`: a collector's own files are under its id, and those that it continues for a lost one
 * under `<id>.<taker>`.
 */
import { baseName } from '../../filesystem/path.ts'

/** Whose spool it is, and who writes it. */
export type Owner = {
  readonly name: string
  /** The collector that began it: its event files have this id. */
  readonly id: string
  /** The collector that has it: as soon as that is gone another one may take it. */
  readonly keeper: string
}

/** What a name says; undefined for one of another kind. */
export const parseOwner = (name: string): Owner | undefined => {
  const [, id, taker] = /^([\da-f]{32})(?:\.([\da-f]{32}))?$/.exec(name) ?? []
  return id === undefined ? undefined : { name, id, keeper: taker ?? id }
}

/** The name of what a collector has taken. */
export const toTakenName = (id: string, taker: string): string => `${id}.${taker}`

/** Paths of the logs that the collector with this directory has taken from others. */
export const findKept = (entries: readonly { readonly path: string }[], directory: string): readonly string[] =>
  entries.flatMap(({ path }) => {
    const owner = parseOwner(baseName(path))
    return owner && owner.keeper === baseName(directory) && owner.id !== owner.keeper ? [path] : []
  })

/** Whether one of these is the log of a collector that another one has taken. */
export const isTakenFrom = (entries: readonly { readonly path: string }[], id: string): boolean =>
  entries.some(({ path }) => {
    const owner = parseOwner(baseName(path))
    return owner?.id === id && owner.keeper !== id
  })
