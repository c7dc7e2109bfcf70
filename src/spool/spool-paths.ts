/**
 * The spool's directory:
 *
 *     id                the collector id, 32 hexadecimal digits
 *     lock              held by the process that runs on this spool
 *     ledger            what became of each sealed file (`ledger.ts`)
 *     log/NNNNNNNNNN.log    segments (`framing.ts`, `record.ts`)
 *     sealed/           bucket files that wait for the commit, and committed ones for a while
 *     _quarantine/      bucket files that the file system refused, and damaged parts of segments
 */
export const directories = ['log', 'sealed', '_quarantine'] as const

/** Where the bytes of a bucket file are. */
export const localPath = (name: string, quarantined: boolean): string =>
  `${quarantined ? '_quarantine' : 'sealed'}/${name}`
