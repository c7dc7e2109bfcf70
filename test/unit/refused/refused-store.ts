import type { RefusedFiles } from '../../../src/refused/refused-files.ts'
import { toRefusedRecord } from '../../../src/refused/refused-record.ts'

/** Files by their paths, each with the rows of it; in place of the last row may be what is thrown there. */
export type StoredRows = ReadonlyMap<string, readonly (Readonly<Record<string, unknown>> | Error)[]>

/** Files of refused events, and what was asked of them. */
export const createRefusedStore = (stored: StoredRows) => {
  const asked: string[] = []
  const look = (what: string): void => void asked.push(what)
  const childrenOf = (path: string): readonly string[] => [...stored.keys()].filter(one => one.startsWith(`${path}/`))
  const files: RefusedFiles = {
    directories: async path => {
      look(`directories ${path}`)
      const below = childrenOf(path).map(one => one.slice(path.length + 1))
      return [...new Set(below.flatMap(one => (one.includes('/') ? one.slice(0, one.indexOf('/')) : [])))]
        .sort()
        .reverse()
    },
    files: async path => {
      look(`files ${path}`)
      const below = childrenOf(path).map(one => one.slice(path.length + 1))
      return below.filter(one => !one.includes('/')).sort()
    },
    rows: async function* read(path, mayBe = () => true) {
      look(`rows ${path}`)
      for (const row of stored.get(path) ?? []) {
        if (row instanceof Error) throw row
        look('row')
        const answer = mayBe(JSON.stringify(row))
        if (answer === 'end') return
        if (answer) yield toRefusedRecord(row)
      }
    },
  }
  return {
    files,
    /** How often something was looked at. */
    looks: () => asked.length,
    /** The paths of files whose rows were read. */
    read: () => asked.flatMap(one => (one.startsWith('rows ') ? one.slice('rows '.length) : [])),
    forget: () => void asked.splice(0),
  }
}

/** The directory of the hour of a moment. */
export const hourPath = (when: number): string => new Date(when).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/')
