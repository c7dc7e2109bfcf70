import type { SpoolForPerson } from '../replica/replica-status.ts'

/** What may have to come back of a spool that was set aside does not, before a person sees to it. */
export class RestNeedsPerson extends Error {
  override readonly name = 'RestNeedsPerson'
  readonly spool: SpoolForPerson

  constructor(spool: SpoolForPerson) {
    super(`${spool.problem}. ${spool.advice}`)
    this.spool = spool
  }
}

/** @param behind older spools that wait for that */
export const withBehind = (spool: SpoolForPerson, behind: number): SpoolForPerson => ({
  ...spool,
  problem: `${spool.problem}; ${behind === 1 ? 'an older spool waits' : `${behind} older spools wait`} for that`,
})
