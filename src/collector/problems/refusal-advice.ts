/** What it means for senders that events are refused, and what to do. */
export const refusedAdvice = {
  meaning: 'Senders get 503 and have to retry; what was accepted is kept.',
  advice: 'Find the cause on the machine of the server.',
  command: 'sluice doctor',
  runbook: 'docs/runbook.md#sluicerefusing',
} as const

/** The same where another collector has taken over the log of this one: nothing on this machine is broken. */
export const fencedAdvice = {
  meaning: 'Senders get 503; the other collector brings what was accepted to the file system.',
  advice: 'It exits with code 70: started anew, it sets its old spool aside and takes events under a new id.',
  command: 'sluice status',
  runbook: 'docs/runbook.md#sluicefenced',
} as const
