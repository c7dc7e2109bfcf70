import type { Trouble } from '../../spool/heartbeat/stages.ts'

/** What is wrong when a work of the spool fails, and in a word or two. */
export const workWords: Readonly<
  Record<Exclude<Trouble['work'], 'log' | 'commit'>, readonly [what: string, word: string]>
> = {
  space: ['The free space of the disk cannot be read', 'Disk'],
  ledger: ['The ledger of the spool cannot be written', 'Ledger'],
  sealing: ['Events cannot be made into files', 'Sealing fails'],
  tables: ['Files cannot be made part of their table', 'Snapshots fail'],
  upkeep: ['Old snapshots of tables cannot be removed', 'Upkeep fails'],
  cleanup: ['Local copies cannot be removed', 'Cleanup fails'],
  strays: ['Temporary files cannot be removed', 'Cleanup fails'],
}
