import type { MessageAdvice } from './advice.ts'

const reports = '[Report](../troubleshooting.md#what-to-put-into-a-report) the line with its `err`'

/** Warnings and errors of listeners, requests, tokens and settings in the log. */
export const serverLog: readonly MessageAdvice[] = [
  {
    says: 'a request failed',
    why: 'A fault in Sluice; `err` has it',
    now: 'Answers 500',
    todo: reports,
  },
  {
    says: 'request failed',
    why: 'A fault in Sluice; `err` has it',
    now: 'Answers 500',
    todo: reports,
  },
  {
    says: 'a management request failed',
    why: 'A fault in Sluice; `err` has it',
    now: 'Answers 500',
    todo: reports,
  },
  {
    says: 'a Scribe call failed',
    why: 'A fault in Sluice; `err` has it',
    now: 'Answers `TRY_LATER`',
    todo: reports,
  },
  {
    says: 'a timer failed',
    why: 'A fault in Sluice; `err` has it',
    now: 'Continues',
    todo: reports,
  },
  {
    says: 'listener failed',
    why: 'The operating system reports an error of a listening socket',
    now: 'Other listeners continue',
    todo: 'See `err`; restart if connections are refused',
  },
  {
    says: 'connections are refused: …',
    why: 'Too many connections, or too few file descriptors',
    now: 'Open connections continue; accepts again when some close',
    todo: '[SluiceFilesExhausted](../runbook.md#sluicefilesexhausted)',
  },
  {
    says: 'a response could not be written',
    why: 'A fault in Sluice; `err` has it',
    now: 'Closes the connection',
    todo: reports,
  },
  {
    says: 'a response was cut short: its source failed',
    why: 'HDFS, a disk or a reader process failed after the response had begun',
    now: 'Closes the connection, so that the client sees an incomplete response',
    todo: 'Retry; `sluice doctor` if it repeats',
  },
  {
    says: 'a download stopped: the file is damaged',
    why: 'A file cannot be read to its end; `reason` has the byte',
    now: 'Closes the connection',
    todo: 'Compare the file with its source; `skipDamaged=true` skips it in directories',
  },
  {
    says: 'a damaged file was skipped',
    why: 'A request with `skipDamaged=true` met a damaged file',
    now: 'Continues with the next file',
    todo: 'Compare the file with its source',
  },
  {
    says: 'a file could not be read as rows',
    why: 'A fault in Sluice, or of the disk; `err` has it',
    now: 'Answers 500',
    todo: reports,
  },
  {
    says: 'events were refused',
    why: 'A request or some of its events are invalid; `code` and `detail` have the reason',
    now: 'Stores them as refused',
    todo: '[Refused events](../how-to/refused-events.md)',
  },
  {
    says: 'a refused event could not be replayed',
    why: 'A fault in Sluice; `err` has it',
    now: 'The event stays refused',
    todo: reports,
  },
  {
    says: 'a login failed: …',
    why: 'Wrong or missing token, or a Kerberos or SSO login that is not valid here',
    now: 'Slows down further attempts from this address',
    todo: '[What an error means](../secure-clusters.md#what-an-error-means)',
  },
  {
    says: 'the file of auth.tokens is missing: all tokens are refused',
    why: 'The file was deleted or renamed',
    now: 'Answers 401, and looks for the file each second',
    todo: 'Restore the file: [SluiceTokenFile](../runbook.md#sluicetokenfile)',
  },
  {
    says: 'the file of auth.tokens cannot be used; the previous tokens remain in effect',
    why: 'The changed file has a mistake, or may not be read',
    now: 'Reads it again when it changes',
    todo: 'Fix the file: [SluiceTokenFile](../runbook.md#sluicetokenfile)',
  },
  {
    says: 'settings not reloaded: the previous ones remain in effect',
    why: 'The changed settings have mistakes; `problems` lists them',
    now: 'Reads them again when they change',
    todo: '`sluice config --config FILE`: [SluiceSettingsRefused](../runbook.md#sluicesettingsrefused)',
  },
  {
    says: 'these settings need a restart',
    why: 'Settings that cannot change while the server runs have changed',
    now: 'All other settings are in effect',
    todo: 'Restart when convenient',
  },
  {
    says: 'the new certificate cannot be used; the old one remains in effect',
    why: 'Certificate and key do not match, or cannot be read',
    now: 'Reads them again when they change',
    todo: 'Replace both: [SluiceCertificateEnds](../runbook.md#sluicecertificateends)',
  },
  {
    says: 'lines of the access log are missing',
    why: 'The file of `log.access-file` cannot be written, or not fast enough; `missing` counts the lines',
    now: 'Continues',
    todo: 'Free space, or write to another disk',
  },
  {
    says: 'the drain failed',
    why: 'Shutting down in order failed; `err` has it',
    now: 'Exits. The spool has all accepted events',
    todo: 'Start again; report the line',
  },
  {
    says: 'an edge thread ended and closed its connections; another one starts',
    why: 'A thread that accepts connections ended; `reason` has it',
    now: 'Senders reconnect; accepted events are safe',
    todo: '[SluiceThreadsMissing](../runbook.md#sluicethreadsmissing)',
  },
  {
    says: 'an edge thread ended and is not replaced: …; restart the server',
    why: 'The files of the server were replaced while it runs',
    now: 'The remaining threads take all connections',
    todo: 'Restart the server',
  },
  {
    says: 'no edge thread can start (… attempts): the server exits to be restarted',
    why: 'Usually lack of memory; `reason` has it',
    now: 'Exits with code 70',
    todo: 'Give it more memory, or fewer `server.threads`: [Machines](../operate.md#machines)',
  },
  {
    says: 'the files of the server cannot be read; no edge thread starts',
    why: 'The files of the server were deleted or may not be read',
    now: 'The remaining threads take all connections',
    todo: 'Install again, then restart',
  },
]
