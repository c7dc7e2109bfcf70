/** Sums over all APIs of one process since its start, and what its spool says of the same events. */
export type Books = {
  readonly received: number
  readonly accepted: number
  /** Those of the accepted ones that had been refused before. */
  readonly replayed: number
  readonly filtered: number
  readonly duplicates: number
  readonly rejected: number
  /** Rejected because an I/O operation failed; the rest was refused before anything was tried. */
  readonly errored: number
  /** Of failed writes, and not answered: they may be there or not. */
  readonly unknown: number
  /** Events on the local disk, and events that went to the file system. */
  readonly written: number
  /** Written, and accepted by an earlier spool of the same collector. */
  readonly returned: number
  readonly flushed: number
  /** Events of the spool in the file system, over all runs, and those of collectors that were taken over. */
  readonly committed: number
  readonly takenOver: number
  readonly quarantinedFiles: number
  readonly pendingFiles: number
  readonly isAccepting: boolean
  readonly residentBytes: number
}

/** Reads the books at the management listener. */
export const readBooks = async (adminUrl: string | undefined): Promise<Books> => {
  const response = await fetch(`${adminUrl}/metrics`)
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`)
  const text = await response.text()
  const sum = (name: string, label = ''): number =>
    [...text.matchAll(new RegExp(`^${name}(\\{[^}\\n]*\\})? (\\S+)$`, 'gm'))]
      .filter(([, labels = '']) => labels.includes(label))
      .reduce((total, [, , value]) => total + Number(value), 0)
  return {
    received: sum('collector_events_received_total'),
    accepted: sum('collector_events_accepted_total'),
    replayed: sum('collector_events_replayed_total'),
    filtered: sum('collector_events_filtered_total'),
    duplicates: sum('collector_events_duplicates_total'),
    rejected: sum('collector_events_rejected_total'),
    errored: sum('collector_events_rejected_total', 'reason="errored"'),
    unknown: sum('collector_events_unknown_total'),
    written: sum('collector_events_written_total'),
    returned: sum('collector_returned_events_total'),
    flushed: sum('collector_hdfs_events_total'),
    committed: sum('collector_stored_events_total'),
    takenOver: sum('collector_taken_over_events_total'),
    quarantinedFiles: sum('collector_quarantined_files'),
    pendingFiles: sum('collector_spool_files'),
    isAccepting: sum('collector_accepting') === 1,
    residentBytes: sum('process_resident_memory_bytes'),
  }
}

/** What does not add up (R13), in words, while no request is under way. */
export const findImbalance = ({
  received,
  accepted,
  filtered,
  duplicates,
  rejected,
  unknown,
  written,
  returned,
}: Books): string[] => [
  ...(received === accepted + filtered + duplicates + rejected + unknown
    ? []
    : [
        `received ${received}, but accepted ${accepted}, filtered ${filtered}, duplicates ${duplicates}, rejected ${rejected}, unknown ${unknown}`,
      ]),
  ...(accepted + returned === written ? [] : [`accepted ${accepted} and returned ${returned}, but written ${written}`]),
]
