import type { DataFile } from '../tables/data-file.ts'
import type { LiveFile } from '../tables/replace/live-files.ts'
import { isMerged } from '../tables/replace/merged-name.ts'
import type { Repeats } from '../tables/replace/replace-files.ts'
import type { Besides } from './plan-compaction.ts'
import type { BesideFile } from './read-beside.ts'

/** The files of an hour whose events are not to be repeated, while some of its files after others are replaced. */
export type KnownFiles = {
  /** All but those that are to be replaced. */
  of(sources: readonly LiveFile[]): { readonly beside: readonly BesideFile[] } & Pick<Repeats, 'isUnread'>
  replace(sources: readonly LiveFile[], added: readonly Pick<DataFile, 'uri' | 'rows' | 'bytes'>[]): void
}

/** @param sources of the whole hour */
export const createKnownFiles = ({ files, merged }: Besides, sources: readonly LiveFile[]): KnownFiles => {
  const names = new Set(merged)
  let beside: readonly BesideFile[] = [...files, ...sources.filter(({ uri, hasValues }) => hasValues && isMerged(uri))]
  const without = (gone: readonly LiveFile[]): readonly BesideFile[] => {
    const uris = new Set(gone.map(({ uri }) => uri))
    return beside.filter(({ uri }) => !uris.has(uri))
  }
  return {
    of: sources => ({ beside: without(sources), isUnread: uri => isMerged(uri) && !names.has(uri) }),
    replace: (sources, added) => {
      beside = [...without(sources), ...added.map(({ uri, rows, bytes }) => ({ uri, rows, bytes, dates: undefined }))]
      for (const { uri } of added) names.add(uri)
    },
  }
}
